"""Chromium looks at the pages and walks through a rewind."""

import os
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
ADMIN = "/admin/streamapp"


def photograph(address: str, session: str, target: Path) -> None:
    """Write the pictures of the documentation into `target`."""
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        light = open_page(browser, address, session)
        for name in ("subscription", "checkpoint", "worker", "rewind"):
            light.goto(f"{ADMIN}/{name}/")
            light.screenshot(path=target / f"{name}s.png")
        light.goto(f"{ADMIN}/quarantined/")
        light.click("th.field-place a")
        light.screenshot(path=target / "quarantined.png")
        walk_through_a_rewind(light, target)
        dark = open_page(browser, address, session, color_scheme="dark")
        dark.goto(f"{ADMIN}/checkpoint/")
        dark.screenshot(path=target / "checkpoints-dark.png")
        browser.close()


def open_page(browser: Any, address: str, session: str, width: int = 1440, **options: Any) -> Page:
    """Open a window with the operator logged in."""
    context = browser.new_context(base_url=address, viewport={"width": width, "height": 800}, **options)
    context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    page: Page = context.new_page()
    return page


def walk_through_a_rewind(page: Page, target: Path, suffix: str = "") -> None:
    """Choose shards, give a position, review, apply; a picture at each step."""
    page.goto(f"{ADMIN}/checkpoint/?subscription=ledger.spend")
    page.check("#action-toggle")
    page.select_option("select[name=action]", "rewind")
    page.click("button[name=index]")
    page.fill("#id_position", "-7d")
    page.fill("#id_reason", "The exchange rates of the night were wrong.")
    page.screenshot(path=target / f"rewind-form{suffix}.png")
    page.click("input[type=submit].default")
    page.screenshot(path=target / f"rewind-review{suffix}.png", full_page=True)
    page.click("input[type=submit].default")
    page.screenshot(path=target / f"rewind-stored{suffix}.png", full_page=True)
