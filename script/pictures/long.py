"""Names, reasons and records of great length, in every table that has room for them."""

WORD = "customer_account_totals_by_region_and_currency_"


def seed_long() -> str:
    """Fill the database with the example, then add what is long."""
    from pictures.scene import seed

    operator = seed()
    make_long()
    return operator


def make_long() -> None:
    """Add a held record, a worker, a dead letter, a skip and a pause that say a lot."""
    from django.utils import timezone

    from pictures.settings import LONG_NAME
    from streamapp.models import AlertKind, Checkpoint, HeldRecord, Subscription, Worker
    from streamapp.services.actions import Asker, Pause
    from streamapp.services.actions.scope import Scope
    from streamapp.store import Store
    from streamapp.store.alerts import Warned
    from streamapp.store.skips import Skipped

    store, host = Store("default"), f"consumer-{WORD.replace('_', '-')}7f9c-deployment.example"
    reason = f"no rate for {WORD * 6}since the partner has renamed it"
    row = Checkpoint.objects.filter(subscription__name=LONG_NAME).select_related("subscription").first()
    assert row is not None, "the scene has mounted it"
    worker = store.workers.register([LONG_NAME, *Subscription.objects.values_list("name", flat=True)], 3600.0)
    Worker.objects.filter(pk=worker).update(host=host, process_id=4194304)
    store.leases.take(worker, [row.pk])
    store.alerts.replace(worker, [Warned(row.pk, AlertKind.STUCK, row.position, 99_754.0, WORD * 8)])
    store.skips.add(Skipped(row.pk, row.epoch, 10**17, 2 * 10**17, 10**17, "earliest"))
    HeldRecord.objects.create(checkpoint=row, position=row.position, reason=reason, held_at=timezone.now())
    _give_up(row, reason)
    Pause(Scope.of(LONG_NAME)).do(Asker("command", reason=reason))


def _give_up(row, reason: str) -> None:  # type: ignore[no-untyped-def]
    from django.utils import timezone

    from streamapp.copies import Copied
    from streamapp.records import Record
    from streamapp.store import Store
    from streamapp.store.failed import Failure

    store, value = Store("default"), f'{{"id": 4, "account": "{WORD * 9}", "cents": 3}}'.encode()
    headers = {f"x-{WORD}": WORD.encode() * 4}
    record = Record(row.key, row.position, value, WORD.encode() * 3, headers, timezone.now())
    copied = Copied(2, f"{row}@{row.position}", timezone.now(), reason)
    failure = Failure(reason, f"{WORD}.errors.NoRate", reason, "Traceback: " + WORD * 9)
    store.dead_letters.add(row.subscription.name, record, copied, failure)
    store.delayed.add(row.subscription.name, record, copied, 3600.0)
    store.records.quarantine(row.subscription.name, record, reason)
