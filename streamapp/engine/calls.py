"""The work that lanes have in hand: timed and counted as a whole, and looked at by whoever finds stuck calls.

Nothing happens here once a record: how far a lane has come shows in the spans that it settles.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any, cast

from streamapp.engine.shard import Slice
from streamapp.engine.work import Work
from streamapp.mount import Mount
from streamapp.observability.tally import Tally

Place = tuple[Slice, int]
"""A record: its slice, and its index in the chunk."""


class Running:
    """Work that a lane is at: since when, in which thread, and on the event loop in which coroutine."""

    __slots__ = ("_place", "begun", "coroutine", "reported", "since", "thread", "work")

    def __init__(self, work: Work, begun: float, coroutine: Coroutine[Any, Any, Any] | None) -> None:
        self.work = work
        self.begun = begun
        self.since = begun
        self.thread = get_ident()
        self.coroutine = coroutine
        self.reported = False
        self._place: Place | None = None

    def look(self, now: float) -> Place | None:
        """Return the record at hand, of a batch the first; `since` then says from when on, as far as seen."""
        place = next(_unpassed(self.work), None)
        if place != (self._place or _first(self.work)):
            self.since, self.reported = now, False
        self._place = place
        return place


class Calls:
    """What the lanes of one subscription are at. Lanes hand their work through it."""

    def __init__(self, mount: Mount, tally: Tally, clock: Callable[[], float]) -> None:
        self._is_batch = mount.shape.is_batch
        self._tally = tally
        self._clock = clock
        self._running: dict[int, Running] = {}

    def running(self) -> list[Running]:
        """Return what is being handled at this moment; from any thread."""
        return list(self._running.values())

    def handle(self, work: Work, handle: Callable[[Work], Work | None]) -> Work | None:
        """Return what is left of work after it was handled in this thread; what raises isn't counted."""
        running = self._begin(work, None)
        try:
            left = handle(work)
        finally:
            del self._running[id(running)]
        self._count(running, left)
        return left

    async def await_handled(
        self, work: Work, handle: Callable[[Work], Awaitable[Work | None]]
    ) -> Work | None:
        """Do the same for work that the task at hand handles."""
        running = self._begin(work, _coroutine_at_hand())
        try:
            left = await handle(work)
        finally:
            del self._running[id(running)]
        self._count(running, left)
        return left

    @contextmanager
    def beside(self, work: Work) -> Iterator[None]:
        """Let work be looked at that is handled in this thread and counts for nothing."""
        running = self._begin(work, None)
        try:
            yield
        finally:
            del self._running[id(running)]

    def _begin(self, work: Work, coroutine: Coroutine[Any, Any, Any] | None) -> Running:
        running = Running(work, self._clock(), coroutine)
        self._running[id(running)] = running
        return running

    def _count(self, running: Running, left: Work | None) -> None:
        """Count what came to an outcome, and the calls that were made for it."""
        work = running.work
        handled = _concluded(work) - (_records(left) if left else 0)
        # Of single records, what waits for its time was called once more; what the gate has stopped wasn't.
        calls = int(left is not work) if self._is_batch else handled + bool(left and left.due > 0)
        self._tally.handled(max(0, handled), max(0, calls), self._clock() - running.begun)


def _records(work: Work) -> int:
    return sum(len(part.indexes) for part in work.slices)


def _concluded(work: Work) -> int:
    """Count the records of work that has ended; outcomes that a move has voided are none."""
    records = 0
    for part in work.slices:
        records += len(part.indexes) if part.current else sum(map(part.span.is_passed, part.indexes))
    return records


def _unpassed(work: Work) -> Iterator[Place]:
    return ((part, index) for part in work.slices for index in part.indexes if not part.span.is_passed(index))


def _first(work: Work) -> Place:
    return work.slices[0], work.slices[0].indexes[0]


def _coroutine_at_hand() -> Coroutine[Any, Any, Any] | None:
    task = asyncio.current_task()
    return cast("Coroutine[Any, Any, Any]", task.get_coro()) if task else None
