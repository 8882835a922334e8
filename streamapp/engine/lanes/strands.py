"""What is handled in order: records of one strand one after the other, strands side by side.

ORDER says what a strand is: a shard, a key of a topic, or a single record. A record without a key
belongs to the strand of its shard.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from streamapp.engine.shard import Slice
from streamapp.engine.work import Work
from streamapp.records import Shard

Strand = Hashable
Split = Callable[[Slice], Iterator[tuple[Strand, Slice]]]


@dataclass(frozen=True, slots=True)
class Taken:
    """Work that a lane has taken up; its strands wait until it is given back."""

    strands: tuple[Strand, ...]
    work: Work


class Strands:
    """A queue a strand. Not safe for threads: its owner has a lock.

    `most` bounds the records of one work, where the handler takes batches, of which every lane gets
    its share; single records go strand by strand.
    """

    def __init__(self, split: Split, lanes: int, most: int | None) -> None:
        self._split = split
        self._lanes = lanes
        self._most = most
        self._queues: dict[Strand, deque[Slice]] = {}
        self._ready: deque[Strand] = deque()
        self._later: list[tuple[float, int, Taken]] = []
        self._numbers = count()
        self._running: dict[int, Taken] = {}
        self.waiting: Counter[Shard] = Counter()
        """How many records of each shard wait for a lane."""

    def __bool__(self) -> bool:
        return bool(self._queues or self._later or self._running)

    def add(self, slices: Sequence[Slice]) -> None:
        """Queue records, each behind what waits of its strand."""
        for whole in slices:
            self.waiting[whole.state.shard] += len(whole.indexes)
            for strand, part in self._split(whole):
                queue = self._queues.get(strand)
                if queue is None:
                    self._queues[strand] = deque([part])
                    self._ready.append(strand)
                else:
                    queue.append(part)

    def take(self, now: float) -> Taken | None:
        """Return what a lane may do now, or None."""
        taken = self._due(now) or self._next()
        if taken:
            self._running[id(taken)] = taken
        return taken

    def give_back(self, taken: Taken, left: Work | None) -> None:
        """Let a work's strands go on; what is left of it comes first, when it is due."""
        if self._running.pop(id(taken), None) is None:
            return  # everything was forgotten meanwhile
        left = left.current() if left else None
        if left and left.slices:
            heappush(self._later, (left.due, next(self._numbers), Taken(taken.strands, left)))
        else:
            self._release(taken.strands)

    def next_due(self) -> float | None:
        """Return the moment at which something that waits for its time may be done."""
        return self._later[0][0] if self._later else None

    def running(self, shards: Collection[Shard]) -> bool:
        """Tell whether a call runs for one of these shards."""
        return any(
            part.state.shard in shards for taken in self._running.values() for part in taken.work.slices
        )

    def withdraw(self, shards: Collection[Shard]) -> None:
        """Forget what waits of these shards."""
        for strand, queue in list(self._queues.items()):
            kept = deque(part for part in queue if part.state.shard not in shards)
            self._queues[strand] = kept
        later, self._later = self._later, []
        for due, number, taken in later:
            slices = tuple(part for part in taken.work.slices if part.state.shard not in shards)
            if slices:
                work = Work(slices, taken.work.attempt, due)
                heappush(self._later, (due, number, Taken(taken.strands, work)))
            else:
                self._release(taken.strands)
        for shard in shards:
            self.waiting.pop(shard, None)

    def clear(self) -> None:
        """Forget all that waits and runs."""
        self._queues.clear()
        self._ready.clear()
        self._later.clear()
        self._running.clear()
        self.waiting.clear()

    def _due(self, now: float) -> Taken | None:
        while self._later and self._later[0][0] <= now:
            *_, taken = heappop(self._later)
            work = taken.work.current()
            if work.slices:
                return Taken(taken.strands, work)
            self._release(taken.strands)
        return None

    def _next(self) -> Taken | None:
        strands: list[Strand] = []
        slices: list[Slice] = []
        room = self._room()
        while self._ready and room > 0:
            strand = self._ready.popleft()
            if found := self._first_of(strand, room):
                strands.append(strand)
                slices += found
                room -= sum(len(part.indexes) for part in found) if self._most else room
        return Taken(tuple(strands), Work(tuple(slices))) if slices else None

    def _room(self) -> int:
        """Return how many records a batch may have; for single records one piece of a strand is enough."""
        if not self._most:
            return 1
        return max(1, min(self._most, -(-self.waiting.total() // self._lanes)))

    def _first_of(self, strand: Strand, room: int) -> list[Slice]:
        """Take the first records of a strand: one piece, or as many as a batch has room for."""
        found: list[Slice] = []
        queue = self._queues.get(strand, deque())
        while queue and room > 0:
            part = queue.popleft()
            if part.current and self._most and len(part.indexes) > room:
                queue.appendleft(part.rest(part.indexes[room:]))
                part = part.rest(part.indexes[:room])
            self.waiting[part.state.shard] -= len(part.indexes)
            if part.current:
                found.append(part)
                room -= len(part.indexes) if self._most else room
        if not found:
            self._queues.pop(strand, None)
        return found

    def _release(self, strands: Sequence[Strand]) -> None:
        for strand in strands:
            if self._queues.get(strand):
                self._ready.append(strand)
            else:
                self._queues.pop(strand, None)


def by_shard(part: Slice) -> Iterator[tuple[Strand, Slice]]:
    """Keep a shard's records in order."""
    yield part.state.shard, part


def by_key(part: Slice) -> Iterator[tuple[Strand, Slice]]:
    """Keep the records of a key in order, within its topic."""
    shard, keys = part.state.shard, part.chunk.keys()
    chosen: dict[Strand, list[int]] = {}
    for index in part.indexes:
        key = keys[index]
        chosen.setdefault(shard if key is None else (shard.stream, key), []).append(index)
    for strand, indexes in chosen.items():
        yield strand, part.rest(indexes)


def singly(part: Slice) -> Iterator[tuple[Strand, Slice]]:
    """Keep no order."""
    for index in part.indexes:
        yield object(), part.rest([index])


SPLITS: dict[str, Split] = {"shard": by_shard, "key": by_key, "none": singly}
