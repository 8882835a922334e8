"""The page of records: decoded, as bytes, masked, empty, and what it says to a place that isn't there."""

from collections.abc import Iterator

from playwright.sync_api import Page

from pictures.following import follow

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
    follow(page, "#result_list tbody th a")
    follow(page, ".object-tools a:text-is('Records')")
    yield "records-first"
    for name, (subscription, place) in PLACES.items():
        page.goto(f"{ADMIN}/checkpoint/?subscription={subscription}")
        follow(page, "#result_list tbody th a")
        follow(page, ".object-tools a:text-is('Records')")
        page.fill("#id_at", place)
        follow(page, "input[type=submit].default")
        yield name
