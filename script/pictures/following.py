"""From one page to the next."""

from playwright.sync_api import Page


def follow(page: Page, selector: str) -> None:
    """Click what leads to another page and wait for that: the old one may have fields of the same names."""
    with page.expect_navigation():
        page.locator(selector).first.click()
