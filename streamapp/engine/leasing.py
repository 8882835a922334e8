"""How a worker comes by shards: a consumer group assigns them, or they are spread by leases."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from streamapp.engine.discovery import Discovery
from streamapp.engine.opening import Opening
from streamapp.engine.shard import Placed
from streamapp.records import Shard
from streamapp.store import Store
from streamapp.store.leases import LeaseRow

HANDOVER_SECONDS = 1.0
HANDOVER_STEP_SECONDS = 0.02


class GroupLeases:
    """Takes the rows of shards that a consumer group has assigned, from whoever holds them.

    The group has decided, so there is nothing to wait for; but a planned move finds the old owner
    saving, and a moment's patience spares the records that it has handled and not saved yet.
    """

    def __init__(self, opening: Opening, store: Store, pause: Callable[[float], object] = time.sleep) -> None:
        self._opening = opening
        self._store = store
        self._pause = pause

    def take(self, worker: UUID, shards: Sequence[Shard]) -> dict[Shard, Placed]:
        """Take the leases of assigned shards; waits up to a second for living owners to let go."""
        rows = self._opening.rows(dict.fromkeys(shards, ()))
        self._await_release(worker, list(rows.values()))
        taken = {lease.checkpoint: lease for lease in self._store.leases.take(worker, list(rows.values()))}
        return self._opening.placed({shard: taken[row] for shard, row in rows.items()})

    def _await_release(self, worker: UUID, rows: list[int]) -> None:
        for _ in range(round(HANDOVER_SECONDS / HANDOVER_STEP_SECONDS)):
            if all(row.free or row.worker == worker for row in self._store.leases.rows(rows)):
                return
            self._pause(HANDOVER_STEP_SECONDS)


@dataclass(frozen=True, slots=True)
class Share:
    """What a worker should change: shards it has just taken, and shards that it must hand over."""

    taken: dict[Shard, Placed]
    surplus: list[Shard]


class SpreadLeases:
    """Spreads shards evenly, within one, over the living workers that run the subscription."""

    def __init__(self, subscription: str, opening: Opening, discovery: Discovery, store: Store) -> None:
        self._subscription = subscription
        self._opening = opening
        self._discovery = discovery
        self._store = store
        self._balanced: object = None

    def step(self, worker: UUID, held: Sequence[Shard]) -> Share:
        """Compare what is held with a fair share, and take free shards if it is more.

        The rows, maybe thousands, are read only when something has changed since there was nothing to do.
        """
        self._store.workers.bury()
        workers = self._store.workers.running(self._subscription)
        seen = (
            worker,
            workers,
            set(held),
            self._discovery.lineage,
            self._store.leases.outline(self._opening.subscription),
        )
        if seen == self._balanced:
            return Share({}, [])
        share = self._compare(worker, workers, held)
        self._balanced = None if share.taken or share.surplus else seen
        return share

    def _compare(self, worker: UUID, workers: Sequence[UUID], held: Sequence[Shard]) -> Share:
        rows = self._discovery.readable()
        readable = set(rows.values())
        all_leases = self._store.leases.of(self._opening.subscription)
        leases = [lease for lease in all_leases if lease.checkpoint in readable]
        quota = _quota(worker, workers, leases)
        gone = [shard for shard in held if shard not in rows]
        kept = sorted(shard for shard in held if shard in rows)
        if len(kept) > quota:
            return Share({}, [*gone, *kept[quota:]])
        others = _not_of(leases, {rows[shard] for shard in kept})
        # A lease of this worker's own identity that it doesn't hold is the trace of a lost reply.
        stray = [lease.checkpoint for lease in others if lease.worker == worker]
        if stray:
            # Nobody takes them from a worker that lives, so they might never be read again.
            self._store.leases.release(worker, stray)
        free = [lease.checkpoint for lease in others if lease.free or lease.worker == worker]
        return Share(self._take(worker, rows, free, quota - len(kept)), gone)

    def _take(
        self, worker: UUID, rows: Mapping[Shard, int], free: Collection[int], most: int
    ) -> dict[Shard, Placed]:
        by_row = {row: shard for shard, row in rows.items()}
        taken = self._store.leases.take_free(worker, free, most) if free and most else []
        return self._opening.placed({by_row[lease.checkpoint]: lease for lease in taken})


def _not_of(leases: Sequence[LeaseRow], rows: Collection[int]) -> list[LeaseRow]:
    return [lease for lease in leases if lease.checkpoint not in rows]


def _quota(worker: UUID, workers: Sequence[UUID], leases: Sequence[LeaseRow]) -> int:
    """Return a worker's share; the remainder stays with those who hold most: no move without need."""
    if worker not in workers:
        return 0
    share, rest = divmod(len(leases), len(workers))
    held = Counter(lease.worker for lease in leases)
    most_first = sorted(workers, key=lambda each: -held[each])
    return share + (most_first.index(worker) < rest)
