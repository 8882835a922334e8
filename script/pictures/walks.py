"""The ways through the pages: each goes from one to the next and yields a name for what it sees."""

from collections.abc import Iterator

from playwright.sync_api import Page

from pictures.controls import pages_of_controls
from pictures.following import follow
from pictures.letters import pages_of_letters
from pictures.looking import pages_of_records
from pictures.rewinding import pages_of_a_rewind

ADMIN = "/admin/streamapp"
MANY = {"quarantined": "quarantine", "auditentry": "auditentries"}
LISTS = (
    "subscription",
    "checkpoint",
    "worker",
    "heldrecord",
    "quarantined",
    "delayedrecord",
    "deadletter",
    "dryrun",
    "skip",
    "rewind",
    "auditentry",
)
DRAWN = ".streamapp-plots canvas, .streamapp-plots p"
KINESIS = "?subscription=shipping.ship"


def pages(page: Page) -> Iterator[str]:
    """See the example: first what is there, then what can be done, last what changes something."""
    page.goto(f"{ADMIN}/")
    yield "index"
    page.goto(f"{ADMIN}/subscription/overview/")
    yield "overview"
    yield from lists(page)
    yield from details(page)
    yield from pages_of_controls(page)
    yield from pages_of_letters(page)
    yield from pages_of_records(page)
    yield from pages_of_a_rewind(page, "ledger.spend")


def lists(page: Page) -> Iterator[str]:
    """See every list, one that is narrowed, and one in which nothing is found."""
    for name in LISTS:
        page.goto(f"{ADMIN}/{name}/")
        yield MANY.get(name, f"{name}s")
    page.goto(f"{ADMIN}/checkpoint/{KINESIS}")
    yield "lineage"
    page.goto(f"{ADMIN}/checkpoint/?subscription=ledger.spend")
    yield "paused"
    page.goto(f"{ADMIN}/checkpoint/?q=nowhere")
    yield "nothing-found"


def details(page: Page) -> Iterator[str]:
    """Open a row of each list, on Kinesis and where positions count."""
    yield from _drawn(page, "subscription/?q=shipping.ship", "subscription")
    yield from _drawn(page, "subscription/?q=ledger.balances", "subscription-plots")
    yield from _drawn(page, "subscription/?q=ledger.balances", "subscription-day", period="day")
    yield from _drawn(page, f"checkpoint/{KINESIS}&q=shardId-000000000002", "checkpoint")
    yield from _drawn(page, "checkpoint/?subscription=ledger.balances", "checkpoint-plots")
    yield from _drawn(page, f"checkpoint/{KINESIS}&q=shardId-000000000005", "checkpoint-waiting")
    for name in ("worker", "quarantined", "delayedrecord", "skip", "rewind", "auditentry"):
        open_first(page, f"{name}/")
        yield name
    open_first(page, "checkpoint/")
    follow(page, "a.historylink")
    yield "history"


def _drawn(page: Page, path: str, name: str, period: str = "hour") -> Iterator[str]:
    open_first(page, path)
    if period != "hour":
        follow(page, f"text=Last {period}")
    page.wait_for_selector(DRAWN)
    yield name


def open_first(page: Page, path: str) -> None:
    """Open the first row of a list."""
    page.goto(f"{ADMIN}/{path}")
    follow(page, "#result_list tbody th a, #result_list tbody .field-place a")


def empty_pages(page: Page) -> Iterator[str]:
    """See the pages that say what to do first."""
    for path in ("", "subscription/overview/", *(f"{name}/" for name in LISTS), "checkpoint/rewind/"):
        page.goto(f"{ADMIN}/{path}")
        yield f"empty-{path.strip('/').replace('/', '-') or 'index'}"


def long_pages(page: Page) -> Iterator[str]:
    """See what names, reasons and records of great length do to the pages."""
    page.goto(f"{ADMIN}/subscription/overview/")
    yield "long-overview"
    for name in LISTS:
        page.goto(f"{ADMIN}/{name}/")
        yield f"long-{MANY.get(name, f'{name}s')}"
    for name in ("subscription", "checkpoint", "worker", "heldrecord", "deadletter", "auditentry"):
        open_first(page, f"{name}/")
        yield f"long-{name}"
    for name in pages_of_a_rewind(page, "analytics"):
        yield f"long-{name}"


def crowded_pages(page: Page) -> Iterator[str]:
    """See ten thousand shards, added up, listed and rewound."""
    page.goto(f"{ADMIN}/subscription/overview/")
    yield "crowd-overview"
    follow(page, "text=ledger.spend")
    page.wait_for_selector(DRAWN)
    yield "crowd-subscription"
    for name in ("checkpoint", "worker"):
        page.goto(f"{ADMIN}/{name}/")
        yield f"crowd-{name}s"
    page.goto(f"{ADMIN}/checkpoint/rewind/?subscription=ledger.spend")
    yield "crowd-scope"
    follow(page, "button.default")
    page.check("[value=earliest]")
    yield "crowd-form"
    follow(page, "input[type=submit].default")
    yield "crowd-review"
    page.fill("#id_reason", "The exchange rates of the night were wrong.")
    page.fill("#id_name", "ledger.spend")
    follow(page, "input[type=submit].default")
    yield "crowd-result"
