"""Checkpoints: made once, then moved by conditional UPDATEs only."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.db import connections

from streamapp.models import Checkpoint, HeldRecord, Lease, RewoundShard
from streamapp.models.fields import decode_position, encode_position
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.store import statements
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction

ROWS_A_STATEMENT = 500
Value = TypeVar("Value")
Lineage = Mapping[Shard, Sequence[Shard]]
"""Shards, each with those that must be finished before it is read."""
NONE: Lineage = MappingProxyType({})


class Place(NamedTuple):
    """What a row says: the checkpoint, and which records behind it are settled, as stored."""

    position: int
    settled: str = ""


@dataclass(frozen=True, slots=True)
class Save:
    """A watermark on its way into its row.

    `first` marks the first save of a generation, which may go backwards: after a seek or a rewind.
    """

    checkpoint: int
    epoch: int
    place: Place
    first: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """A watermark on its way into a row that must still be as its owner has last written it."""

    checkpoint: int
    epoch: int
    old: Place
    new: Place


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that is no longer as its owner remembers it."""

    checkpoint: int
    epoch: int
    place: Place
    worker: UUID | None


class CheckpointStore:
    """Reads and moves checkpoints."""

    def __init__(self, using: str) -> None:
        self._using = using
        self._checkpoints = Checkpoint.objects.using(using)

    def known(self, subscription: int) -> dict[Shard, int]:
        """Return the ids of the subscription's rows by shard."""
        return {row.key: row.pk for row in self._checkpoints.filter(subscription=subscription)}

    def create(self, subscription: int, positions: Mapping[Shard, int], lineage: Lineage = NONE) -> None:
        """Add rows for shards that have none; where another worker was faster, its row stands."""
        with short_transaction(self._using):
            for some in _cut(list(positions)):
                rows = [_row(subscription, shard, positions[shard], lineage.get(shard, ())) for shard in some]
                self._checkpoints.bulk_create(rows, ignore_conflicts=True)
            bare = self._checkpoints.filter(subscription=subscription, lease=None)
            for ids in _cut(list(bare.values_list("id", flat=True))):
                leases = [Lease(checkpoint_id=pk, taken_at=ClockNow()) for pk in ids]
                Lease.objects.using(self._using).bulk_create(leases, ignore_conflicts=True)

    def save(self, saves: Sequence[Save]) -> set[int]:
        """Move rows whose epoch is the saver's and whose position is lower; returns which moved.

        One statement, whatever the number of rows, that locks them in the order in which a rewind does.
        It needs no second one to be committed, so a worker that stalls here keeps no lock.
        """
        connection = connections[self._using]
        rows = [(save.checkpoint, save.epoch, *_stored(save.place), save.first) for save in saves]
        with connection.cursor() as cursor:
            cursor.execute(*statements.save_checkpoints(connection.vendor, rows))
            return {checkpoint for (checkpoint,) in cursor.fetchall()}

    def exchange(self, exchanges: Sequence[Exchange]) -> set[int]:
        """Move rows that are exactly as their owner believes; returns which moved.

        One statement that locks in the order of the rows. The last one in a handler's transaction: a
        row that didn't move tells that the transaction must not be committed.
        """
        connection = connections[self._using]
        rows = [(each.checkpoint, each.epoch, *_stored(each.old), *_stored(each.new)) for each in exchanges]
        with connection.cursor() as cursor:
            cursor.execute(*statements.exchange_checkpoints(connection.vendor, rows))
            return {checkpoint for (checkpoint,) in cursor.fetchall()}

    def locked_epochs(self, checkpoints: Collection[int]) -> dict[int, int]:
        """Lock rows until the end of the open transaction and return their epochs."""
        rows = self._checkpoints.filter(id__in=checkpoints).order_by("id").select_for_update()
        return dict(rows.values_list("id", "epoch"))

    def read(self, checkpoints: Collection[int]) -> list[Difference]:
        """Return what rows say and who owns them."""
        rows = self._checkpoints.filter(id__in=checkpoints)
        return [
            Difference(row.pk, row.epoch, Place(row.position, row.settled), row.lease.worker_id)
            for row in rows.select_related("lease")
        ]

    def differences(self, worker: UUID, epochs: Mapping[int, int]) -> list[Difference]:
        """Return the rows whose epoch or owner isn't what the worker remembers; usually none."""
        connection = connections[self._using]
        with connection.cursor() as cursor:
            cursor.execute(*statements.differences(connection.vendor, worker, list(epochs.items())))
            return [
                Difference(pk, epoch, Place(decode_position(position), settled), _uuid(owner))
                for pk, epoch, position, settled, owner in cursor.fetchall()
            ]

    def finished(self, subscription: int) -> set[Shard]:
        """Return the shards that were read to their end with everything settled; they are read no more."""
        return {row.key for row in self._checkpoints.filter(subscription=subscription, position=SHARD_END)}

    def positions(self, subscription: int) -> dict[Shard, int]:
        """Return all stored positions of a subscription."""
        return {row.key: row.position for row in self._checkpoints.filter(subscription=subscription)}

    def unseen_rewinds(self, checkpoints: Collection[int]) -> set[int]:
        """Return the rows that an operator has moved and no worker has read from since."""
        unseen = RewoundShard.objects.using(self._using).filter(checkpoint__in=checkpoints, applied_at=None)
        return set(unseen.values_list("checkpoint_id", flat=True))

    def stamp_rewinds(self, worker: UUID, epochs: Mapping[int, int]) -> None:
        """Note on every rewind up to these epochs that the worker reads from where it said."""
        self._stamp("applied_at", epochs, applied_by=worker)

    def stamp_seen(self, epochs: Mapping[int, int]) -> None:
        """Note on every rewind up to these epochs that what was in flight is void."""
        self._stamp("seen_at", epochs)

    def stamp_read(self, epochs: Mapping[int, int]) -> None:
        """Note on the last rewind up to these epochs that its position has brought a record."""
        bare = RewoundShard.objects.using(self._using).filter(checkpoint__in=epochs).order_by("id")
        rows = bare.values_list("checkpoint", "epoch", "id", "read_at")
        last = {row: (pk, read) for row, epoch, pk, read in rows if epochs[row] >= epoch}
        if due := [pk for pk, read in last.values() if read is None]:
            bare.filter(id__in=due).update(read_at=ClockNow())

    def _stamp(self, stamp: str, epochs: Mapping[int, int], **more: Any) -> None:
        bare = RewoundShard.objects.using(self._using).filter(checkpoint__in=epochs, **{stamp: None})
        due = [pk for pk, row, epoch in bare.values_list("id", "checkpoint", "epoch") if epoch <= epochs[row]]
        if due:
            bare.filter(id__in=due).update(**{stamp: ClockNow()}, **more)

    def forget_held(self, epochs: Mapping[int, int]) -> None:
        """Delete the held records of shards that were moved, if their epochs are still these."""
        stored = self._checkpoints.filter(id__in=epochs).values_list("id", "epoch")
        mine = [checkpoint for checkpoint, epoch in stored if epoch == epochs[checkpoint]]
        HeldRecord.objects.using(self._using).filter(checkpoint__in=mine).delete()


def _row(subscription: int, shard: Shard, position: int, parents: Sequence[Shard]) -> Checkpoint:
    return Checkpoint(
        subscription_id=subscription,
        stream=shard.stream,
        incarnation=shard.incarnation,
        shard=shard.id,
        position=position,
        parents=[parent.id for parent in parents],
        saved_at=ClockNow(),
    )


def _cut(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Cut what one statement writes: a short transaction may not pause to prepare thousands of rows."""
    return (values[first : first + ROWS_A_STATEMENT] for first in range(0, len(values), ROWS_A_STATEMENT))


def _stored(place: Place) -> tuple[str, str]:
    return encode_position(place.position), place.settled


def _uuid(value: object) -> UUID | None:
    return value if value is None or isinstance(value, UUID) else UUID(str(value))
