"""One consumer process from start to exit."""

import gc
import logging
import os
import signal
from collections.abc import Sequence
from types import FrameType

from django.db import Error as DatabaseError

from streamapp import registry
from streamapp.conf import configuration
from streamapp.engine.catching_up import CatchingUp
from streamapp.engine.worker import Worker
from streamapp.exceptions import BrokerUnavailable, ConfigurationError, InvalidPosition
from streamapp.management.running import codes
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.services.from_handler import rewind_from_handler
from streamapp.services.from_worker import pause_from_worker
from streamapp.store import Store

logger = logging.getLogger("streamapp.process")
LOOK_SECONDS = 0.2
COLLECT_OBJECTS = 10_000


class ConsumerProcess:
    """Runs a worker until a signal, the death of a thread, or, if asked for, until all is caught up."""

    def __init__(self, mounts: Sequence[Mount], *, until_caught_up: bool = False) -> None:
        brokers = {mount.broker: registry.broker(mount.broker) for mount in mounts}
        store = Store(configuration().DATABASE)
        self.worker = Worker(
            mounts, brokers, store, configuration(), rewind_from_handler, pause=pause_from_worker
        )
        self._asked = False
        self._goals = [
            CatchingUp(consumer, brokers[consumer.mount.broker], store)
            for consumer in self.worker.consumers
            if until_caught_up
        ]

    def run(self) -> int:
        """Run to the end and return the exit code; must be called in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        _calm_collector()
        self.worker.start()
        while not (self._asked or self.worker.ended.wait(LOOK_SECONDS) or self._is_caught_up()):
            pass
        logger.info("Stopping. %s", Fields(timeout_seconds=configuration().STOP_TIMEOUT))
        self.worker.stop()
        clean = self.worker.join(configuration().STOP_TIMEOUT)
        code = self._code()
        if not clean:
            logging.shutdown()
            os._exit(code)
        registry.close_brokers()
        return code

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        # Only a plain flag: a handler runs between two steps of this thread, which may hold a lock.
        if self._asked:
            os._exit(codes.AT_ONCE)
        self._asked = True

    def _is_caught_up(self) -> bool:
        try:
            return bool(self._goals) and all(goal.is_done() for goal in self._goals)
        except (BrokerUnavailable, DatabaseError):
            # The lanes report the outage and wait for its end.
            return False

    def _code(self) -> int:
        failure = self.worker.failure
        if failure is None:
            return codes.OK
        return codes.WRONG if isinstance(failure, ConfigurationError | InvalidPosition) else codes.DIED


def _calm_collector() -> None:
    """Keep the garbage collector from looking at every record, and from looking at the whole project.

    Records come and go by hundreds, which by the usual threshold starts it several times a batch and
    costs a batch handler a fifth of its speed. What was loaded by now lives as long as the process.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(max(COLLECT_OBJECTS, gc.get_threshold()[0]))
