"""How a worker comes by shards: a consumer group assigns them, or they are spread by leases."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
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

    def step(self, worker: UUID, held: Sequence[Shard]) -> Share:
        """Compare what is held with a fair share, and take free shards if it is more."""
        self._store.workers.bury()
        rows = self._discovery.readable()
        leases = self._store.leases.rows(list(rows.values()))
        quota = self._quota(worker, leases)
        gone = [shard for shard in held if shard not in rows]
        kept = sorted(shard for shard in held if shard in rows)
        if len(kept) > quota:
            return Share({}, [*gone, *kept[quota:]])
        return Share(self._take(worker, rows, leases, kept, quota - len(kept)), gone)

    def _take(
        self,
        worker: UUID,
        rows: dict[Shard, int],
        leases: Sequence[LeaseRow],
        held: Sequence[Shard],
        wanted: int,
    ) -> dict[Shard, Placed]:
        # A lease of this worker's own identity that it doesn't hold is the trace of a lost reply.
        stray = {row.checkpoint for row in leases if row.worker == worker} - {rows[shard] for shard in held}
        free = stray | {row.checkpoint for row in leases if row.free}
        shards = [shard for shard, row in rows.items() if row in free and shard not in held][:wanted]
        by_row = {rows[shard]: shard for shard in shards}
        if unwanted := stray - by_row.keys():
            # Nobody takes them from a worker that lives, so they would never be read again.
            self._store.leases.release(worker, unwanted)
        taken = self._store.leases.take_free(worker, list(by_row)) if shards else []
        return self._opening.placed({by_row[lease.checkpoint]: lease for lease in taken})

    def _quota(self, worker: UUID, leases: Sequence[LeaseRow]) -> int:
        """Return this worker's share; the remainder stays with those who hold most: no move without need."""
        workers = self._store.workers.running(self._subscription)
        if worker not in workers:
            return 0
        share, rest = divmod(len(leases), len(workers))
        held = Counter(lease.worker for lease in leases)
        most_first = sorted(workers, key=lambda each: -held[each])
        return share + (most_first.index(worker) < rest)
