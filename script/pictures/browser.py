"""Chromium goes from page to page and takes its pictures."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from pictures.documented import looks_of, shrink
from pictures.looks import HEIGHT, LIGHT, LOOKS, WIDE

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
CUT = (
    "records",
    "checkpoints",
    "crowd-checkpoints",
    "crowd-scope",
    "crowd-review",
    "crowd-result",
    "crowd-subscription",
)
"""Of these pages one window is enough: what follows looks the same."""


def photograph(
    address: str, session: str, target: Path, walk: Callable[[Page], Iterator[str]], *, every_look: bool
) -> None:
    """Write the pictures into `target`: those of the documentation, or all pages in every look."""
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = open_page(browser, address, session)
        for name in walk(page):
            for look in LOOKS if every_look else looks_of(name):
                look.put_on(page)
                _take(page, target / f"{name}{look.suffix}.png", whole=name not in CUT, small=not every_look)
            LIGHT.put_on(page)
        browser.close()


def _take(page: Page, path: Path, *, whole: bool, small: bool) -> None:
    page.screenshot(path=path, full_page=whole, animations="disabled")
    if small:
        shrink(path)


def open_page(browser: Any, address: str, session: str) -> Page:
    """Open a window with the operator logged in."""
    context = browser.new_context(base_url=address, viewport={"width": WIDE, "height": HEIGHT})
    context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    page: Page = context.new_page()
    return page
