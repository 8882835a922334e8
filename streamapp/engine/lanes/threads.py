"""Lanes for `def` handlers, and for batches: threads, each with a database connection of its own."""

import threading
from collections.abc import Callable, Sequence

from django.db import Error as DatabaseError
from django.db import connections

from streamapp.engine.gate import Gate
from streamapp.engine.handling import Handling
from streamapp.engine.lanes.many import ManyLanes
from streamapp.engine.lanes.strands import Taken
from streamapp.engine.moving import Moves
from streamapp.engine.saving import Saver
from streamapp.engine.work import Work
from streamapp.exceptions import BrokerUnavailable
from streamapp.mount import Mount

IDLE_SECONDS = 1.0


class ThreadLanes(ManyLanes):
    """One thread a lane. They start with the first records."""

    def __init__(
        self,
        mount: Mount,
        handlings: Sequence[tuple[Handling, Moves]],
        gate: Gate,
        saver: Saver,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(mount, gate, clock)
        self._saver = saver
        self._threads = [
            threading.Thread(
                target=self._run, args=pair, name=f"streamapp lane {mount.name} {number}", daemon=True
            )
            for number, pair in enumerate(handlings)
        ]

    def close(self) -> None:
        """Wait for the calls that run."""
        self._gate.stop()
        with self._waits:
            self._waits.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _wake(self) -> None:
        for thread in self._threads:
            if thread.ident is None:
                thread.start()

    def _run(self, handling: Handling, moves: Moves) -> None:
        try:
            while not self._gate.stopping:
                taken = self._wait()
                while taken:
                    taken = self._exchange(taken, self._handle(taken, handling, moves))
        finally:
            connections.close_all()

    def _wait(self) -> Taken | None:
        with self._waits:
            if (taken := self._take()) is None:
                due = self._strands.next_due()
                pause = IDLE_SECONDS if due is None else min(IDLE_SECONDS, max(0.0, due - self._clock()))
                self._waits.wait(pause)
            return taken

    def _handle(self, taken: Taken, handling: Handling, moves: Moves) -> Work | None:
        left: Work | None = taken.work
        try:
            left = handling.handle(taken.work)
            if moves.take_asked():
                self._saver.look_once()
        except (BrokerUnavailable, DatabaseError) as error:
            left = self._unavailable(left, error)
        except BaseException as failure:
            self._died(failure, taken, left)
            raise
        return left
