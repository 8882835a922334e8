"""What is handled in order: records of one strand one after the other, strands side by side."""

from collections import Counter, deque
from collections.abc import Collection, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from streamapp.engine.lanes.splits import Split, Strand
from streamapp.engine.shard import ShardState, Slice
from streamapp.engine.waits import Line, Waits
from streamapp.engine.work import Work
from streamapp.records import Shard


class Taken(NamedTuple):
    """Work that a lane has taken up; its strands wait until it is given back."""

    strands: Sequence[Strand]
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
        self._paused: list[Strand] = []
        """Strands whose next records are of a paused shard."""
        self._halted: list[Taken] = []
        """Works to be tried again, of paused shards."""
        self._waiting: Counter[ShardState] = Counter()
        self._returning: dict[Strand, list[tuple[Waits, Line]]] = {}

    def __bool__(self) -> bool:
        return bool(self._queues or self._later or self._halted or self._running)

    @property
    def ready(self) -> int:
        """Return how many strands a lane may take up at once."""
        return len(self._ready)

    def add(self, slices: Sequence[Slice]) -> None:
        """Queue records, each behind what waits of its strand."""
        queues, ready = self._queues, self._ready
        for whole in slices:
            self._waiting[whole.state] += len(whole.indexes)
            for strand, part in self._split(whole):
                if (queue := queues.get(strand)) is None:
                    queues[strand] = deque((part,))
                    ready.append(strand)
                else:
                    queue.append(part)

    def resume(self, waits: Waits, line: Line, held: Slice) -> None:
        """Let what waits behind a record that was held go first in its strand, once nothing of that runs."""
        strand = next(self._split(held))[0]
        self._returning.setdefault(strand, []).append((waits, line))
        if strand not in self._queues:
            self._queues[strand] = deque()
            self._ready.append(strand)

    def waiting(self, most: int) -> set[Shard]:
        """Return the shards of which so many records wait for a lane, or more; no paused ones."""
        return {
            state.shard for state, records in self._waiting.items() if records >= most and not state.paused
        }

    def revive(self) -> bool:
        """Let what waited go on whose shards aren't paused any more; tell whether there is any."""
        halted, self._halted = self._halted, []
        paused, self._paused = self._paused, []
        for taken in halted:
            if all(_is_halted(part) for part in taken.work.slices):
                self._halted.append(taken)
            else:
                heappush(self._later, (taken.work.due, next(self._numbers), taken))
        for strand in paused:
            queue = self._queues.get(strand)
            (self._paused if queue and _is_halted(queue[0]) else self._ready).append(strand)
        return len(self._halted) < len(halted) or len(self._paused) < len(paused)

    def take(self, now: float) -> Taken | None:
        """Return what a lane may do now, or None."""
        taken = self._due(now) if self._later else None
        if taken is None:
            taken = self._next_batch() if self._most else self._next()
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

    @property
    def calling(self) -> bool:
        """Tell whether a call runs."""
        return bool(self._running)

    def running(self, shards: Collection[Shard]) -> bool:
        """Tell whether a call runs for one of these shards."""
        return any(
            part.state.shard in shards for taken in self._running.values() for part in taken.work.slices
        )

    def withdraw(self, shards: Collection[Shard]) -> None:
        """Forget what waits of these shards."""
        for strand, queue in list(self._queues.items()):
            self._queues[strand] = deque(part for part in queue if part.state.shard not in shards)
        halted, self._halted = self._halted, []
        later, self._later = self._later, []
        for due, number, taken in [*later, *((each.work.due, next(self._numbers), each) for each in halted)]:
            slices = tuple(part for part in taken.work.slices if part.state.shard not in shards)
            if slices:
                work = replace(taken.work, slices=slices)
                heappush(self._later, (due, number, Taken(taken.strands, work)))
            else:
                self._release(taken.strands)
        for state in [state for state in self._waiting if state.shard in shards]:
            del self._waiting[state]

    def clear(self) -> None:
        """Forget all that waits and runs."""
        for forgotten in (self._queues, self._ready, self._later, self._running, self._waiting):
            forgotten.clear()
        self._returning.clear()
        self._paused.clear()
        self._halted.clear()

    def _due(self, now: float) -> Taken | None:
        while self._later and self._later[0][0] <= now:
            *_, taken = heappop(self._later)
            work, paused = taken.work.current().apart()
            halted = self._halt(paused)
            strands = [strand for strand in taken.strands if strand not in halted]
            if work.slices:
                return Taken(strands, work)
            self._release(strands)
        return None

    def _halt(self, work: Work) -> Sequence[Strand]:
        """Set work aside until its shards aren't paused any more; its strands wait with it."""
        if not work.slices:
            return ()
        strands = [strand for part in work.slices for strand, _ in self._split(part)]
        self._halted.append(Taken(strands, work))
        return strands

    def _next(self) -> Taken | None:
        """Take one piece of one strand."""
        while self._ready:
            strand = self._ready.popleft()
            if part := self._first_of(strand, None):
                return Taken((strand,), Work((part,)))
            self._leave(strand)
        return None

    def _next_batch(self) -> Taken | None:
        """Take pieces of as many strands as a batch has room for: every lane shall have its share."""
        strands: list[Strand] = []
        slices: list[Slice] = []
        room = max(1, min(self._most or 1, -(-self._waiting.total() // self._lanes)))
        while self._ready and room > 0:
            if slices and self._is_alone(self._ready[0]):
                break
            strand = self._ready.popleft()
            found = len(slices)
            while room > 0 and (part := self._first_of(strand, room)):
                slices.append(part)
                room -= len(part.indexes)
            if len(slices) > found:
                strands.append(strand)
            else:
                self._leave(strand)
            if slices and slices[-1].state.alone:
                break
        return Taken(strands, Work(tuple(slices))) if slices else None

    def _is_alone(self, strand: Strand) -> bool:
        queue = self._queues[strand]
        return bool(queue) and queue[0].state.alone

    def _leave(self, strand: Strand) -> None:
        """Forget a strand of which nothing is left, or let it wait while its shard is paused."""
        if self._queues[strand]:
            self._paused.append(strand)
        else:
            del self._queues[strand]

    def _first_of(self, strand: Strand, room: int | None) -> Slice | None:
        """Take a strand's first piece that no move has voided, cut to the room there is.

        Stops in front of a piece of a paused shard.
        """
        queue = self._queues[strand]
        for waits, line in self._returning.pop(strand, ()):
            parts = waits.take(line)
            queue.extendleft(reversed(parts))
            for part in parts:
                self._waiting[part.state] += len(part.indexes)
        while queue and not _is_halted(queue[0]):
            part = queue.popleft()
            if room and len(part.indexes) > room and part.current:
                queue.appendleft(part.rest(part.indexes[room:]))
                part = part.rest(part.indexes[:room])
            self._took(part)
            if part.current:
                return part
        return None

    def _took(self, part: Slice) -> None:
        left = self._waiting[part.state] - len(part.indexes)
        if left > 0:
            self._waiting[part.state] = left
        else:
            del self._waiting[part.state]  # it may never be held again

    def _release(self, strands: Sequence[Strand]) -> None:
        for strand in strands:
            if self._queues.get(strand) or strand in self._returning:
                self._ready.append(strand)
            else:
                self._queues.pop(strand, None)


def _is_halted(part: Slice) -> bool:
    return part.state.paused and part.current
