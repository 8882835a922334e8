"""What the pictures show: two workers, one of them dead, held records, a quarantined one, a rewind."""

import django

from pictures.alarms import raise_alarms
from pictures.controls import give_orders
from pictures.kinesis import shards
from pictures.letters import set_letters_aside
from pictures.past import seed_past


def seed() -> str:
    """Fill the database that DATABASE_URL names and return the session key of a logged-in operator."""
    operator = seed_nothing()
    fill()
    return operator


def fill() -> None:
    """Make the rows that workers and operators leave."""
    shipments = shards()
    checkpoints = _checkpoints()
    _workers(checkpoints)
    _lags(checkpoints, shipments)
    _set_aside(shipments)
    _rewind()
    seed_past()
    give_orders()
    raise_alarms()


def seed_nothing() -> str:
    """Make the tables, and a logged-in operator who finds nothing."""
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return log_in()


def log_in() -> str:
    """Make an operator and return the key of a session of theirs."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
    from django.contrib.sessions.backends.db import SessionStore

    user = get_user_model().objects.create_superuser("operator")
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def _checkpoints():  # type: ignore[no-untyped-def]
    """Publish a few hundred records a subscription and let it stand behind most of them."""
    from pictures.settings import NEVER_RAN
    from streamapp import registry
    from streamapp.models import Checkpoint, LocalRecord
    from streamapp.store import Store

    store, broker = Store("default"), registry.broker("local")
    for mount in registry.mounts().values():
        if mount.broker != "local" or mount.name in NEVER_RAN:
            continue
        subscription = store.subscriptions.ensure(mount)
        broker.reader(mount.subscribing()).close()
        for stream in mount.source.streams():
            broker.publish_many(stream, [(str(n).encode(), _entry(n)) for n in range(2400)])
        bounds = broker.bounds(broker.shards(mount.source))
        store.checkpoints.create(subscription, {shard: kept.end - 30 for shard, kept in bounds.items()})
        store.subscriptions.start(subscription)
    LocalRecord.objects.filter(offset=597).update(value=bytes(range(160, 255)))
    return list(Checkpoint.objects.select_related("subscription").order_by("id"))


def _entry(number: int) -> bytes:
    return f'{{"id": {number}, "account": "DE02 1203 0000 {number:04d}", "cents": {number * 37}}}'.encode()


def _workers(checkpoints) -> None:  # type: ignore[no-untyped-def]
    from streamapp.models import Worker
    from streamapp.models.worker import WorkerState
    from streamapp.store import Store

    store = Store("default")
    names = sorted({row.subscription.name for row in checkpoints})
    for number in (1, 2, 3):
        identity = store.workers.register(names, 3600.0)
        Worker.objects.filter(pk=identity).update(host=f"consumer-{number}", process_id=7)
        store.leases.take(identity, [row.pk for row in checkpoints[number::4]])
    Worker.objects.filter(host="consumer-3").update(state=WorkerState.DEAD)


def _lags(checkpoints, shipments) -> None:  # type: ignore[no-untyped-def]
    """Let workers have sampled what they read: Kinesis tells the time, and the number at the tip only."""
    from streamapp.store import Store
    from streamapp.store.lags import Sample

    leased = [row for row in checkpoints if getattr(row, "lease", None) and row.lease.worker_id]
    samples = [
        Sample(row.pk, row.position, 1204 * n, 41_000 * n)
        for n, row in enumerate(leased)
        if row not in shipments
    ]
    samples += [Sample(row.pk, row.position, None, 75_000 * n) for n, row in enumerate(shipments[2:4])]
    Store("default").lags.write(samples)


def _set_aside(shipments) -> None:  # type: ignore[no-untyped-def]
    from django.utils import timezone

    from streamapp.models import HeldRecord
    from streamapp.records import Record
    from streamapp.store import Store

    shipping = next(row for row in shipments if row.shard.endswith("2"))
    for position in (shipping.position, shipping.position + 10**19):
        HeldRecord.objects.create(
            checkpoint=shipping, position=position, reason="unknown carrier", held_at=timezone.now()
        )
    broken = Record(
        shipping.key,
        shipping.position - 10**19,
        b'{"id": 211, "address": "1 Main St',
        b"211",
        {"source": b"import"},
    )
    reason = "Input data was truncated"
    Store("default").records.quarantine("shipping.ship", broken, reason)
    set_letters_aside(shipping)


def _rewind() -> None:
    from streamapp.models import Worker
    from streamapp.positions import Earliest
    from streamapp.services import rewind
    from streamapp.store import Store

    plan = rewind.plan_mounted("ledger.balances", Earliest())
    rewind.apply(plan, origin="command", reason="Revision 12 of the opening balances.")
    worker = Worker.objects.get(host="consumer-1")
    Store("default").checkpoints.stamp_rewinds(worker.pk, {plan.lines[0].checkpoint: 99})
