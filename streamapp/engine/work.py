"""What waits to be handled, in order: a shard's later records never overtake its earlier ones."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from streamapp.engine.shard import ShardState, Slice


@dataclass(frozen=True, slots=True)
class Work:
    """Records for one call (a batch), or for one after the other (single records).

    `attempt` counts deliveries of the first record, or of the batch; `due` is the moment of the
    monotonic clock before which it isn't tried again. `failures` are the classes of its failures so far.
    """

    slices: tuple[Slice, ...]
    attempt: int = 1
    due: float = 0.0
    failures: tuple[str, ...] = ()

    def current(self) -> "Work":
        """Return the work without what a move has voided."""
        if all(part.current for part in self.slices):
            return self
        return replace(self, slices=tuple(part for part in self.slices if part.current))

    def apart(self, waiting: Collection[ShardState] = ()) -> "tuple[Work, Work]":
        """Return what may be handled now, and what is of shards that wait or are paused."""
        may = tuple(part for part in self.slices if not (part.state.paused or part.state in waiting))
        if len(may) == len(self.slices):
            return self, Work(())
        rest = tuple(part for part in self.slices if part not in may)
        return replace(self, slices=may), replace(self, slices=rest)

    def shards(self) -> Iterator[ShardState]:
        """Yield the shards that wait for this work."""
        return (part.state for part in self.slices)


def batches(slices: Iterable[Slice], most: int) -> Iterator[Work]:
    """Cut records into batches: all but the last have `most` of them, of however many shards."""
    taken: list[Slice] = []
    room = most
    for part in slices:
        indexes = part.indexes
        while len(indexes) >= room:
            taken.append(part.rest(indexes[:room]))
            yield Work(tuple(taken))
            taken, indexes, room = [], indexes[room:], most
        if indexes:
            taken.append(part.rest(indexes))
            room -= len(indexes)
    if taken:
        yield Work(tuple(taken))


class Backlog:
    """Work that couldn't be finished when it came: retries that aren't due, and what waits behind them."""

    def __init__(self) -> None:
        self._works: list[Work] = []

    def __bool__(self) -> bool:
        return bool(self._works)

    def add(self, work: Work) -> None:
        """Queue work behind everything that waits already."""
        self._works.append(work)

    def add_first(self, work: Work) -> None:
        """Put work back that was taken out, in front of what waits behind it."""
        self._works.insert(0, work)

    def take(self, now: float) -> Work | None:
        """Remove and return the first work that is due and that no earlier work of its shards precedes.

        What of it is of paused shards, or of such that have earlier work, keeps its place.
        """
        if not self._works:
            return None
        self._works = [work for work in (work.current() for work in self._works) if work.slices]
        for place, work, rest in self._heads():
            if work.due <= now:
                self._works[place : place + 1] = [rest] if rest.slices else []
                return work
        return None

    def shards(self) -> set[ShardState]:
        """Return the shards that wait."""
        return {state for work in self._works for state in work.current().shards()}

    def next_due(self) -> float | None:
        """Return the moment at which something may become due, or None when nothing waits."""
        return min((work.due for _, work, _ in self._heads()), default=None)

    def clear(self) -> None:
        """Forget everything, because nothing of it is this worker's any more."""
        self._works.clear()

    def _heads(self) -> Iterator[tuple[int, Work, Work]]:
        """Yield, with its place, what of a work neither an earlier one nor a pause stops, and the rest."""
        waiting: set[ShardState] = set()
        for place, work in enumerate(self._works):
            may, rest = work.apart(waiting)
            if may.slices:
                yield place, may, rest
            waiting.update(work.shards())
