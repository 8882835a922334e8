"""What operators have ordered: a pause, a skip, a drained worker, and the pages that ask for the reason."""

from collections.abc import Iterator

from playwright.sync_api import Page

from pictures.following import follow

ADMIN = "/admin/streamapp"
BUTTONS = (
    ("subscription", "shipping.ship", ("Pause", "Redeliver held records")),
    ("subscription", "ledger.spend", ("Resume",)),
    ("checkpoint", "shardId-000000000002", ("Pause", "Release the lease")),
    ("heldrecord", "shipments", ("Skip a held record",)),
    ("worker", "consumer-1", ("Drain",)),
    ("worker", "consumer-2", ("Undo the drain",)),
)
"""The kind of a page, what finds its row, and buttons on it."""


def give_orders() -> None:
    """Let somebody pause, skip and drain; of the two held records one stays."""
    from django.contrib.auth import get_user_model

    from streamapp.models import HeldRecord, Worker
    from streamapp.services.actions import Asker, Drain, Pause, Skip
    from streamapp.services.actions.scope import Scope

    ann = get_user_model().objects.create_user("ann")
    Pause(Scope.of("ledger.spend")).do(Asker("admin", ann, "The rates of the night are being corrected."))
    held = HeldRecord.objects.select_related("checkpoint__subscription").order_by("-position").first()
    assert held is not None, "the scene holds records"
    Skip(held.checkpoint, held.position).do(Asker("admin", ann, "A test parcel of the carrier."))
    worker = Worker.objects.get(host="consumer-2")
    Drain(worker).do(Asker("command", reason="The machine gets a new kernel."))


def pages_of_controls(page: Page) -> Iterator[str]:
    """Show what each button asks, and that it wants a reason."""
    for kind, query, titles in BUTTONS:
        for title in titles:
            page.goto(f"{ADMIN}/{kind}/?q={query}")
            follow(page, "#result_list tbody th a")
            if title == titles[0]:
                yield f"{kind}-page"
            follow(page, f".object-tools a:has-text('{title}')")
            yield title.lower().replace(" ", "-")
    page.goto(f"{ADMIN}/heldrecord/?q=shipments")
    follow(page, "#result_list tbody th a")
    follow(page, ".object-tools a:has-text('Skip')")
    page.locator("#id_reason").evaluate("field => field.required = false")
    follow(page, "input[type=submit].default")
    yield "skip-refused"
