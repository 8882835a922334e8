"""The page of records: decoded, as bytes, masked, empty, and what it says to a place that isn't there."""

from collections.abc import Iterator

from playwright.sync_api import Page

ADMIN = "/admin/streamapp"
PLACES = {
    "records": ("ledger.balances", "590"),
    "records-bytes": ("ledger.balances", "597"),
    "records-masked": ("payouts.review", "590"),
    "records-end": ("ledger.balances", "600"),
    "records-behind-the-end": ("ledger.balances", "99999"),
    "records-refused": ("ledger.balances", "yesterday"),
}


def pages_of_records(page: Page) -> Iterator[str]:
    """Look at places of shards, first at none."""
    page.goto(f"{ADMIN}/checkpoint/?subscription=ledger.balances")
    page.click("#result_list tbody th a")
    page.click(".object-tools a:text-is('Records')")
    yield "records-first"
    for name, (subscription, place) in PLACES.items():
        page.goto(f"{ADMIN}/checkpoint/?subscription={subscription}")
        page.click("#result_list tbody th a")
        page.click(".object-tools a:text-is('Records')")
        page.fill("#id_at", place)
        page.click("input[type=submit].default")
        yield name
