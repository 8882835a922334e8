"""Leases: which worker may read a shard, and the take-over that fences whoever read it before."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import connections
from django.db.models import Count, F, Q, QuerySet, Sum

from streamapp.models import Checkpoint, HeldRecord, Lease
from streamapp.models.worker import WorkerState
from streamapp.positions import SHARD_END
from streamapp.store.checkpoints import Place
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction


@dataclass(frozen=True, slots=True)
class Taken:
    """A lease as it was taken: what every save must name, and where to read from."""

    checkpoint: int
    epoch: int
    place: Place

    @property
    def position(self) -> int:
        """Return the stored position."""
        return self.place.position


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """Who holds a shard. `free`: nobody, or a worker that is dead or has departed."""

    checkpoint: int
    worker: UUID | None
    free: bool


class LeaseStore:
    """Takes and releases leases."""

    def __init__(self, using: str) -> None:
        self._using = using
        self._leases = Lease.objects.using(using)
        self._checkpoints = Checkpoint.objects.using(using)

    def take(self, worker: UUID, checkpoints: Collection[int]) -> list[Taken]:
        """Take shards from whoever holds them, because a consumer group says that they are ours."""
        with short_transaction(self._using):
            list(self._checkpoints.filter(id__in=checkpoints).order_by("id").select_for_update())
            self._leases.filter(checkpoint__in=checkpoints).update(worker=worker, taken_at=ClockNow())
            return self._fence(checkpoints)

    def take_free(self, worker: UUID, checkpoints: Collection[int], most: int) -> list[Taken]:
        """Take at most so many of the shards that nobody holds, or a worker that was dead before the call.

        Only shards that the caller doesn't read may be named: a lease that is its own is taken anew.

        A worker never comes back from the dead under its identity, so comparing the lease with the
        identities of the dead is enough for exactly one taker to win. Takers pass over what others are
        about to take, so that after a death each gets its share at the first try.
        """
        wanted = self._leases.filter(checkpoint__in=checkpoints)
        gone = list(
            wanted.exclude(worker=None)
            .exclude(worker__state=WorkerState.ALIVE)
            .values_list("worker")
            .distinct()
        )
        with short_transaction(self._using):
            takeable = [worker, *(owner for (owner,) in gone)]
            free = wanted.filter(Q(worker=None) | Q(worker__in=takeable)).order_by("checkpoint")
            chosen = self._passing_over(free.values_list("checkpoint", flat=True)[:most])
            self._leases.filter(checkpoint__in=chosen).update(worker=worker, taken_at=ClockNow())
            won = wanted.filter(worker=worker).values_list("checkpoint_id", flat=True)
            return self._fence(list(won))

    def _passing_over(self, free: "QuerySet[Lease, int]") -> "Collection[int] | QuerySet[Lease, int]":
        """Lock what nobody else is locking. SQLite has one writer, and it may not read before it writes."""
        if connections[self._using].features.has_select_for_update_skip_locked:
            return list(free.select_for_update(skip_locked=True))
        return free

    def release(self, worker: UUID, checkpoints: Collection[int]) -> None:
        """Give shards back; those that somebody else has taken meanwhile are left alone."""
        self._leases.filter(checkpoint__in=checkpoints, worker=worker).update(worker=None)

    def rows(self, checkpoints: Collection[int]) -> list[LeaseRow]:
        """Return who holds these shards."""
        return _read(self._leases.filter(checkpoint__in=checkpoints))

    def of(self, subscription: int) -> list[LeaseRow]:
        """Return who holds the shards of a subscription, also those that nobody may read now."""
        return _read(self._leases.filter(checkpoint__subscription=subscription))

    def outline(self, subscription: int) -> dict[str, int | None]:
        """Return figures that change whenever a shard is taken, released, rewound, finished or retired.

        Equal figures, and the same workers alive, tell that nobody needs to read the rows again.
        """
        rows = self._checkpoints.filter(subscription=subscription)
        return rows.aggregate(
            rows=Count("pk"),
            epochs=Sum("epoch"),
            revisions=Sum("revision"),
            held=Count("lease__worker"),
            finished=Count("pk", filter=Q(position=SHARD_END)),
            retired=Count("retired_at"),
        )

    def _fence(self, checkpoints: Collection[int]) -> list[Taken]:
        """Raise the epochs first and read the positions after, so that no late save slips in between."""
        mine = self._checkpoints.filter(id__in=checkpoints)
        mine.update(epoch=F("epoch") + 1)
        HeldRecord.objects.using(self._using).filter(checkpoint__in=checkpoints).delete()
        rows = mine.only("epoch", "position", "settled")
        return [Taken(row.pk, row.epoch, Place(row.position, row.settled)) for row in rows]


def _read(leases: "QuerySet[Lease]") -> list[LeaseRow]:
    rows = leases.order_by("checkpoint").values_list("checkpoint_id", "worker_id", "worker__state")
    return [
        LeaseRow(checkpoint, worker, free=state != WorkerState.ALIVE) for checkpoint, worker, state in rows
    ]
