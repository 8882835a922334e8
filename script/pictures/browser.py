"""Chromium looks at the pages and walks through a rewind."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from pictures.controls import pages_of_controls
from pictures.letters import pages_of_letters

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
ADMIN = "/admin/streamapp"
WIDTH, NARROW = 1300, 400
DOCUMENTED = (("", WIDTH, "light"), ("-dark", WIDTH, "dark"))
EVERY_LOOK = (*DOCUMENTED, ("-narrow", NARROW, "light"), ("-narrow-dark", NARROW, "dark"))
DARK_TOO = ("checkpoints", "overview", "subscription-plots")
LISTS = ("subscription", "checkpoint", "worker", "quarantined", "rewind")
DRAWN = ".streamapp-plots canvas, .streamapp-plots p"
KINESIS = "?subscription=shipping.ship"


def photograph(
    address: str, session: str, target: Path, walk: Callable[[Page], Iterator[str]], *, every_look: bool
) -> None:
    """Write the pictures into `target`: those of the documentation, or all in every width and colour."""
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for suffix, width, colours in EVERY_LOOK if every_look else DOCUMENTED:
            page = open_page(browser, address, session, width, color_scheme=colours)
            for name in walk(page):
                if every_look or suffix == "" or name in DARK_TOO:
                    page.screenshot(path=target / f"{name}{suffix}.png", full_page="checkpoints" not in name)
        browser.close()


def open_page(browser: Any, address: str, session: str, width: int, **options: Any) -> Page:
    """Open a window with the operator logged in."""
    context = browser.new_context(base_url=address, viewport={"width": width, "height": 800}, **options)
    context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    page: Page = context.new_page()
    return page


def pages(page: Page) -> Iterator[str]:
    """Go from page to page and yield a name for each."""
    page.goto(f"{ADMIN}/subscription/overview/")
    yield "overview"
    for name in LISTS:
        page.goto(f"{ADMIN}/{name}/")
        yield "quarantine" if name == "quarantined" else f"{name}s"
    page.goto(f"{ADMIN}/checkpoint/{KINESIS}")
    yield "lineage"
    yield from pages_of_controls(page)
    yield from pages_of_letters(page)
    yield from details(page)
    yield from steps_of_a_rewind(page)


def empty_pages(page: Page) -> Iterator[str]:
    """Go to the pages that say what to do first."""
    for path in ("", "subscription/overview/", "checkpoint/", "dryrun/"):
        page.goto(f"{ADMIN}/{path}")
        yield f"empty-{path.strip('/').replace('/', '-') or 'index'}"


def crowded_pages(page: Page) -> Iterator[str]:
    """Go to the pages that ten thousand shards are added up on."""
    page.goto(f"{ADMIN}/subscription/overview/")
    yield "crowd-overview"
    page.click("text=ledger.spend")
    page.wait_for_selector(DRAWN)
    yield "crowd-subscription"
    page.click("text=Last day")
    page.wait_for_selector(DRAWN)
    yield "crowd-day"
    page.goto(f"{ADMIN}/checkpoint/")
    yield "crowd-checkpoints"


def details(page: Page) -> Iterator[str]:
    """Open a row of each list."""
    for name, row in {"subscription": "shipping.ship", "checkpoint": "shardId-000000000002"}.items():
        page.goto(f"{ADMIN}/{name}/{KINESIS if name == 'checkpoint' else ''}")
        page.click(f"#result_list th a:has-text('{row}')")
        page.wait_for_selector(DRAWN)
        yield name
    page.goto(f"{ADMIN}/subscription/?q=ledger.spend")
    page.click("#result_list tbody th a")
    page.wait_for_selector(DRAWN)
    yield "subscription-plots"
    page.goto(f"{ADMIN}/checkpoint/?subscription=ledger.spend")
    page.click("#result_list tbody th a")
    page.wait_for_selector(DRAWN)
    yield "checkpoint-plots"
    page.goto(f"{ADMIN}/quarantined/")
    page.click("th.field-place a")
    yield "quarantined"


def steps_of_a_rewind(page: Page) -> Iterator[str]:
    """Choose shards, say where to, review, apply."""
    page.goto(f"{ADMIN}/checkpoint/rewind/?subscription=ledger.spend")
    yield "rewind-scope"
    page.goto(f"{ADMIN}/checkpoint/?subscription=ledger.spend")
    page.check("#action-toggle")
    page.select_option("select[name=action]", "rewind")
    page.click("button[name=index]")
    page.fill("#id_ago", "7d")
    yield "rewind-form"
    page.click("input[type=submit].default")
    yield "rewind-review"
    page.fill("#id_reason", "The exchange rates of the night were wrong.")
    page.click("input[type=submit].default")
    yield "rewind-stored"
