"""Dead letters: the list, one whole with its edited copy, and what each button asks."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from playwright.sync_api import Page

from pictures.following import follow

ADMIN = "/admin/streamapp"
BUTTONS = ("Redeliver…", "Dry run…", "Redeliver to the source…", "Purge…")
TRACE = """Traceback (most recent call last):
  File "shipping/streams.py", line 24, in ship
    raise ValueError("no address")
ValueError: no address
"""


def set_letters_aside(checkpoint: Any) -> None:
    """Give up three shipments without an address, let one be mended, and let one wait for its turn."""
    from django.utils import timezone

    from streamapp.copies import Copied
    from streamapp.models import DeadLetter
    from streamapp.records import Record
    from streamapp.services.places import described
    from streamapp.services.set_aside import editing
    from streamapp.store import Store
    from streamapp.store.audit import Asker
    from streamapp.store.failed import Failure

    store, failure = (
        Store("default"),
        Failure("ValueError('no address')", "builtins.ValueError", "no address", TRACE),
    )
    for number in (1, 2, 3, 4):
        position = checkpoint.position - number * 10**19
        value = f'{{"id": {210 + number}, "address": "", "carrier": "heron"}}'.encode()
        record = Record(
            checkpoint.key, position, value, str(210 + number).encode(), {"source": b"web"}, timezone.now()
        )
        origin = f"{checkpoint}@{described('kinesis', position)}"
        copied = Copied(8, origin, timezone.now() - timedelta(hours=2), failure.reason, 7)
        if number == 4:
            store.delayed.add("shipping.ship", record, copied, 1800.0)
        else:
            store.dead_letters.add("shipping.ship", record, copied, failure)
    letter = DeadLetter.objects.order_by("-pk").first()
    assert letter is not None
    mended = bytes(letter.value or b"").decode().replace('"address": ""', '"address": "3 Mill Lane"')
    editing.edit(DeadLetter, letter.pk, mended, "", Asker("admin", reason="asked the sender"))
    _try_out()


def _try_out() -> None:
    """Order three dry runs: one has failed, one was fine, one waits for its worker."""
    from streamapp.models import DeadLetter, Worker
    from streamapp.services.set_aside import DryRunSetAside
    from streamapp.store import Store
    from streamapp.store.audit import Asker
    from streamapp.store.dry_runs import DryOutcome, DryResult
    from streamapp.store.failed import Failure
    from streamapp.unsent import Unsent

    letters = list(DeadLetter.objects.order_by("pk").values_list("pk", flat=True))
    DryRunSetAside(DeadLetter).do(letters, Asker("admin", reason="is the new deploy right?"))
    store, worker = Store("default").dry_runs, Worker.objects.order_by("pk").first()
    assert worker is not None
    failure = Failure("", "builtins.ValueError", "no address", TRACE)
    label = Unsent("labels", b'{"shipment": 212, "to": "3 Mill Lane"}', b"212", {"by": b"shipping"})
    for result in (
        DryResult(DryOutcome.FAILED, "ValueError('no address')", failure, 2.4),
        DryResult(DryOutcome.ACK, milliseconds=18.61, unsent=[label], moves=["seek latest"]),
    ):
        ordered = store.claim("shipping.ship", worker.pk, 30.0)
        assert ordered is not None
        store.finish(ordered, result)


def pages_of_letters(page: Page) -> Iterator[str]:
    """Show one of them, what is behind each button, and what came of dry runs."""
    page.goto(f"{ADMIN}/deadletter/")
    follow(page, "#result_list tbody th a")
    yield "deadletter"
    whole = page.url
    follow(page, "text=Edit a copy…")
    yield "deadletter-edit"
    page.fill("#id_value", '{"id": "not a number"}')
    follow(page, "input[type=submit].default")
    yield "deadletter-edit-refused"
    for number, title in enumerate(BUTTONS):
        page.goto(whole)
        follow(page, f".object-tools a:text-is('{title}')")
        yield f"deadletter-{('redeliver', 'dry-run', 'publish', 'purge')[number]}"
    page.goto(f"{ADMIN}/dryrun/")
    runs = [link.get_attribute("href") for link in page.query_selector_all("#result_list tbody th a")]
    for run, name in zip(runs, ("requested", "fine", "failed"), strict=True):
        page.goto(run or "")
        yield f"dryrun-{name}"
    page.goto(f"{ADMIN}/deadletter/")
    page.check("#action-toggle")
    page.select_option("select[name=action]", "redeliver")
    follow(page, "button[name=index]")
    yield "deadletters-redeliver"
