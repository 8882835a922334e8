"""What operators have ordered: a pause, a skip, a drained worker, and the pages that ask for the reason."""

from collections.abc import Iterator

from playwright.sync_api import Page

ADMIN = "/admin/streamapp"
BUTTONS = {
    "subscription": ("Pause", "Redeliver held records"),
    "checkpoint": ("Release the lease",),
    "heldrecord": ("Skip a held record",),
    "worker": ("Undo the drain",),
}


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
    """Show the lists, then what each button asks."""
    for name in ("heldrecord", "auditentry"):
        page.goto(f"{ADMIN}/{name}/")
        yield name
    page.click("#result_list tbody th a")
    yield "audited"
    for name, row in {
        "subscription": "shipping.ship",
        "checkpoint": "shardId-000000000002",
        "heldrecord": "shardId-000000000002",
        "worker": None,
    }.items():
        for title in BUTTONS[name]:
            page.goto(f"{ADMIN}/{name}/" + ("?q=consumer-2" if row is None else ""))
            page.click(f"#result_list tbody th a:has-text('{row}')" if row else "#result_list tbody th a")
            yield f"{name}-page"
            page.click(f".object-tools a:has-text('{title}')")
            yield title.lower().replace(" ", "-")
    page.goto(f"{ADMIN}/checkpoint/?subscription=ledger.spend")
    yield "paused"
