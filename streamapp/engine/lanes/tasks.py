"""Lanes for `async def` handlers of single records: tasks on the worker's event loop."""

import asyncio
from collections.abc import Callable

from asgiref.sync import sync_to_async
from django.db import Error as DatabaseError

from streamapp.engine.event_loop import EventLoop
from streamapp.engine.gate import Gate
from streamapp.engine.lanes.awaiting import AwaitedRecords
from streamapp.engine.lanes.many import ManyLanes
from streamapp.engine.lanes.strands import Taken
from streamapp.engine.moving import Moves
from streamapp.engine.saving import Saver
from streamapp.engine.work import Work
from streamapp.exceptions import BrokerUnavailable
from streamapp.mount import Mount

REFRESH_SECONDS = 1.0


class TaskLanes(ManyLanes):
    """So many tasks at most; one ends when it finds nothing to do, and the next records start it again."""

    def __init__(
        self,
        mount: Mount,
        records: AwaitedRecords,
        moves: Moves,
        gate: Gate,
        saver: Saver,
        loop: EventLoop,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(mount, gate, clock)
        self._records = records
        self._moves = moves
        self._saver = saver
        self._loop = loop
        self._tasks: set[asyncio.Task[None]] = set()
        self._refreshed = float("-inf")

    def work(self) -> None:
        """Start tasks for what has become due."""
        super().work()
        if self._clock() - self._refreshed > REFRESH_SECONDS:
            self._refreshed = self._clock()
            self._loop.start(self._records.refresh())
        due = self._strands.next_due()
        if due is not None and due <= self._clock():
            self._wake()

    def patience(self, timeout: float) -> float:
        """Wait no longer than until a retry is due."""
        due = self._strands.next_due()
        patience = super().patience(timeout)
        return patience if due is None else max(0.0, min(patience, due - self._clock()))

    def close(self) -> None:
        """Wait for the calls that run."""
        self._gate.stop()
        with self._ended:
            self._ended.wait_for(lambda: not self._tasks)

    def _wake(self) -> None:
        self._loop.call_soon(self._start)

    def _start(self) -> None:
        """Start as many tasks as there is work for; on the loop."""
        for _ in range(self._mount.lanes - len(self._tasks)):
            with self._waits:
                taken = self._take()
            if taken is None:
                return
            task = asyncio.get_running_loop().create_task(self._run(taken))
            self._tasks.add(task)
            task.add_done_callback(self._forget)

    def _forget(self, task: "asyncio.Task[None]") -> None:
        task.exception()  # it was reported; whoever polls hears of it
        with self._ended:
            self._tasks.discard(task)
            self._ended.notify_all()
        self._start()  # something may have come while it ended

    async def _run(self, taken: Taken | None) -> None:
        while taken:
            taken = self._exchange(taken, await self._handle(taken))

    async def _handle(self, taken: Taken) -> Work | None:
        left: Work | None = taken.work
        try:
            left = await self._records.watch.calls.await_handled(taken.work, self._records.handle_on_loop)
            if self._moves.take_asked():
                await sync_to_async(self._saver.look_once)()
        except (BrokerUnavailable, DatabaseError) as error:
            left = self._unavailable(left, error)
        except BaseException as failure:
            self._died(failure, taken, left)
            raise
        return left
