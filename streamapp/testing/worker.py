"""A consumer process without a process: the production engine, driven step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from streamapp.brokers.base import Broker
from streamapp.conf import configuration
from streamapp.engine.announcing import Announcements
from streamapp.engine.assembly import assemble
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.parts import Parts
from streamapp.mount import Mount
from streamapp.services.from_handler import rewind_from_handler
from streamapp.services.from_worker import pause_from_worker
from streamapp.store import Store
from streamapp.testing.clock import Clock
from streamapp.testing.journal import Journal

LIFE_SECONDS = 7 * 86400.0
"""How long a worker may be silent: somebody may be reading its variables in a debugger."""


class InProcessWorker:
    """One worker with an identity and heartbeat of its own; everything happens in the calling thread.

    Except `async def` handlers of single records, which run on an event loop in a thread of theirs.
    """

    def __init__(self, mounts: Sequence[Mount], brokers: Mapping[str, Broker], clock: Clock) -> None:
        store = Store(configuration().DATABASE)
        self.journal = Journal(clock)
        self._heartbeat = Heartbeat([mount.name for mount in mounts], LIFE_SECONDS, store, clock)
        self._loop = EventLoop()
        self._announcements = Announcements()
        # Without an interval the leases are looked at in every round, so shards move at once.
        settings = replace(configuration(), HEARTBEAT_INTERVAL=0.0)
        parts = Parts(
            store,
            self._heartbeat,
            self._loop,
            settings,
            clock,
            rewind_from_handler,
            self._announcements,
            pause_from_worker,
            self.journal.handling,
        )
        self.consumers = [assemble(mount, brokers[mount.broker], parts) for mount in mounts]

    def start(self) -> None:
        """Do a first round without a call: START_AT is applied, streams are made, shards are taken."""
        for consumer in self.consumers:
            consumer.gate.stop()
        self.run_once(0.0, save=True)
        for consumer in self.consumers:
            consumer.gate.stopping = False

    def run_once(self, timeout: float, *, save: bool) -> None:
        """Do one round of every subscription, then save, or only notice what others have written."""
        self._heartbeat.beat()
        for consumer in self.consumers:
            consumer.look_at_copies()
            consumer.leaving.try_again()
            consumer.run_once(timeout)
            if save:
                consumer.saver.save_once()
            else:
                consumer.saver.look_once()
        self._announcements.send_waiting()

    def stop(self) -> None:
        """End as after SIGTERM: save, let go of all shards, say goodbye."""
        for consumer in self.consumers:
            consumer.finish()
        self._leave()

    def die(self) -> None:
        """End as after `kill -9`, noticed at once: nothing is saved, the leases are free to be taken."""
        for consumer in self.consumers:
            consumer.holdings.void(consumer.holdings.worker)
            consumer.reading.close()
        self._leave()

    def _leave(self) -> None:
        self._announcements.send_waiting()
        self._heartbeat.depart()
        self._loop.refresh_connections()
        self._loop.close_connections()
        self._loop.close()
