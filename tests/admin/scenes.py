"""A small world for the desk: logs, checkpoints, workers, held records, on the local broker."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from streamapp import registry
from streamapp.brokers.local import LocalBroker, LocalStream
from streamapp.copies import Copied
from streamapp.models import Checkpoint, HeldRecord, LocalPartition, LocalRecord, Subscription
from streamapp.models import LocalStream as StoredStream
from streamapp.records import Record, Shard
from streamapp.registry import subscriber
from streamapp.store import Store
from streamapp.store.failed import Failure

DAWN = datetime(2026, 11, 1, tzinfo=UTC)
STORE = Store("default")


@subscriber(LocalStream("orders", partitions=3))
def spend(order: dict[str, Any]) -> None:
    """A handler that nobody calls here."""


@subscriber(LocalStream("parcels"))
def ship(parcel: dict[str, Any]) -> None:
    """Another one."""


SETTINGS = {
    "BROKERS": {"local": {"BACKEND": "streamapp.brokers.local.LocalBroker"}},
    "SUBSCRIPTIONS": {
        "ledger.spend": {"HANDLER": "tests.admin.scenes.spend"},
        "shipping.ship": {"HANDLER": "tests.admin.scenes.ship"},
    },
}


def log(stream: str = "orders", partitions: int = 3, *, first: int = 40, end: int = 90) -> list[Shard]:
    """Fill every partition: record n is written n minutes after dawn; those before `first` are gone."""
    made = StoredStream.objects.create(broker="local", name=stream)
    rows = [LocalPartition(stream=made, number=n, first=first, end=end) for n in range(partitions)]
    LocalRecord.objects.bulk_create(
        LocalRecord(partition=row, offset=n, value=b"{}", timestamp=_milliseconds(n))
        for row in LocalPartition.objects.bulk_create(rows)
        for n in range(first, end)
    )
    return LocalBroker("local", {}).shards(LocalStream(stream))


def _milliseconds(minutes: int) -> int:
    return int((DAWN + timedelta(minutes=minutes)).timestamp() * 1000)


def started(name: str, positions: dict[Shard, int]) -> list[Checkpoint]:
    """Let a subscription have these checkpoints, as a first start leaves them."""
    subscription = STORE.subscriptions.ensure(registry.mount(name))
    STORE.checkpoints.create(subscription, positions)
    STORE.subscriptions.start(subscription)
    return list(Checkpoint.objects.filter(subscription=subscription).order_by("id"))


def worker(rows: list[Checkpoint], *names: str) -> UUID:
    """Register a live worker and let it take shards."""
    identity = STORE.workers.register(names or ["ledger.spend"], 12.0)
    STORE.leases.take(identity, [row.pk for row in rows])
    return identity


def hold(row: Checkpoint, position: int, reason: str = "unknown carrier") -> None:
    """Let a record be held."""
    HeldRecord.objects.create(checkpoint=row, position=position, reason=reason, held_at=DAWN)


def fail(name: str, record: Record) -> None:
    """Let a record wait for its second attempt, and be a dead letter after it."""
    copied = Copied(2, f"{record.shard}@{record.position}", DAWN, "ValueError('busy')")
    failure = Failure("ValueError('busy')", "builtins.ValueError", "busy", "Traceback: line 7")
    STORE.delayed.add(name, record, copied, 3600.0)
    STORE.dead_letters.add(name, record, copied, failure)


def position_of(row: Checkpoint) -> int:
    """Return the stored position."""
    return Checkpoint.objects.get(pk=row.pk).position


def subscription(name: str) -> Subscription:
    """Return a stored subscription."""
    return Subscription.objects.get(name=name)
