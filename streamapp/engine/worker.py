"""One worker: the threads of a process that runs subscriptions, and how they end."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from django.db import Error as DatabaseError
from django.db import connections

from streamapp.brokers.base import Broker
from streamapp.conf import Configuration
from streamapp.engine import alerting, delays, listening, retention
from streamapp.engine.announcing import Announcements
from streamapp.engine.assembly import assemble
from streamapp.engine.chronicle import Chronicle
from streamapp.engine.consumer import Consumer
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.keeper import TICK_SECONDS, Keeper
from streamapp.engine.limit import Pause
from streamapp.engine.parts import Parts, Rewind
from streamapp.engine.sampling import SAMPLE_SECONDS, Sampler
from streamapp.engine.saving import Saver
from streamapp.engine.stuck import StuckCalls
from streamapp.exceptions import BrokerUnavailable, ConfigurationError, InvalidPosition
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.store import Store
from streamapp.store.connections import close_old_connections

logger = logging.getLogger("streamapp.worker")
OUTAGE_SECONDS = 1.0
FAREWELL_SECONDS = 2.0
"""How long receivers of signals may take at the end."""
LIFE_SECONDS = 0.05
"""How long a lane waits for the heartbeat, which at a start has the worker registered in a moment."""


class Worker:
    """Runs subscriptions until it is told to stop, or until one of its threads dies.

    Threads: one heartbeat, one keeper, one sampler that writes the history too, one for alerts, one that
    looks at retention, one that hears of rewinds, one for delayed records, one for records whose
    destination refused them, one for the receivers of signals, and for each subscription a lane and a
    saver. `failure` is what a thread died of; the process should then end, so that a supervisor starts it
    again.
    """

    def __init__(
        self,
        mounts: Sequence[Mount],
        brokers: Mapping[str, Broker],
        store: Store,
        configuration: Configuration,
        rewind: Rewind,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause | None = None,
    ) -> None:
        self.failure: BaseException | None = None
        self.ended = threading.Event()
        self._configuration = configuration
        self._clock = clock
        self._loop = EventLoop()
        self._announcements = Announcements()
        names = [mount.name for mount in mounts]
        self.heartbeat = Heartbeat(names, configuration.HEARTBEAT_TTL, store, clock)
        parts = Parts(
            store, self.heartbeat, self._loop, configuration, clock, rewind, self._announcements, pause
        )
        self.consumers = [assemble(mount, brokers[mount.broker], parts) for mount in mounts]
        self._keeper = Keeper(self.consumers, self.heartbeat.life, clock)
        self.sampler = Sampler(self.consumers, store)
        days = configuration.HISTORY_DAYS
        self._chronicle = Chronicle(self.consumers, self.heartbeat, store, days, clock)
        self._retention = retention.RetentionWatch(brokers, clock)
        stuck = StuckCalls(self._loop, configuration.STUCK_AFTER, clock)
        self.alerting = alerting.Alerting(
            self.consumers, self.heartbeat, stuck, self._retention, store, clock
        )
        self._listener = listening.Listener(self.consumers, store, lambda: self._stopped.is_set())
        self._stopping = threading.Event()
        self._stopped = threading.Event()
        self._lanes = [self._thread(f"lane {c.mount.name}", self._run_lane, c) for c in self.consumers]
        self._receivers = self._thread("receivers", self._announce)
        self._others = list(self._make_others())

    def start(self) -> None:
        """Start all threads and return; a database or broker that is down is waited for."""
        for thread in self.threads:
            thread.start()

    @property
    def threads(self) -> list[threading.Thread]:
        """Return all threads that must live for as long as the worker isn't told to stop."""
        return [*self._others, self._receivers, *self._lanes]

    @property
    def stopping(self) -> bool:
        """Tell whether it was told to stop."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Start no call any more; returns at once. Not for signal handlers: it takes locks."""
        for consumer in self.consumers:
            consumer.gate.stop()
        self._stopping.set()

    def join(self, timeout: float) -> bool:
        """Wait for the lanes to finish; after `timeout` seconds void what runs, save and let go.

        Returns whether all calls came to their end. If not, threads are left that only the end of
        the process stops.
        """
        until = time.monotonic() + timeout
        for lane in self._lanes:
            lane.join(max(0.0, until - time.monotonic()))
        stuck = [c for c, lane in zip(self.consumers, self._lanes, strict=True) if lane.is_alive()]
        for consumer in stuck:
            fields = Fields(subscription=consumer.mount.name, timeout_seconds=timeout)
            logger.error("Handler still runs at the stop timeout, its call is void. %s", fields)
            consumer.abandon()
        self._stopped.set()
        for consumer in self.consumers:
            consumer.saver.awake.set()
        self._announcements.wake()
        self.heartbeat.depart()
        self._receivers.join(FAREWELL_SECONDS)
        if not stuck:
            self._loop.close_connections()
        self._loop.close()
        return not stuck

    def _beat(self) -> None:
        # A process whose lane has died must not look alive: others should take its leases.
        if not self.failure:
            self.heartbeat.beat()

    def _make_others(self) -> Iterator[threading.Thread]:
        """Make the threads around the lanes."""
        configuration = self._configuration
        yield self._thread("heartbeat", self._every, configuration.HEARTBEAT_INTERVAL, self._beat)
        yield self._thread("keeper", self._every, TICK_SECONDS, self._keeper.run_once)
        yield self._thread("sampler", self._every, SAMPLE_SECONDS, self._sample)
        yield self._thread("alerts", self._every, alerting.LOOK_SECONDS, self.alerting.run_once)
        yield self._thread("delays", self._every, delays.LOOK_SECONDS, self._look_at_delays)
        yield self._thread("stranded", self._every, delays.LOOK_SECONDS, self._carry_stranded)
        yield self._thread("retention", self._every, retention.LOOK_SECONDS, self._look_at_retention)
        for each in self.consumers:
            yield self._thread(f"saver {each.mount.name}", self._save, each.saver)
        if self._listener.can_hear:
            yield self._thread("listener", self._every, listening.PAUSE_SECONDS, self._listener.run_once)

    def _save(self, saver: Saver) -> None:
        while not self._stopped.is_set():
            saver.awake.clear()
            saver.save_once()
            saver.awake.wait(self._configuration.SAVE_INTERVAL)

    def _sample(self) -> None:
        for consumer in self.consumers:
            consumer.watch.look_at_ages(consumer.holdings)
        self.sampler.sample_once()
        self._chronicle.run_once()

    def _look_at_retention(self) -> None:
        close_old_connections()
        for consumer in self.consumers:
            self._retention.look_once(consumer)

    def _look_at_delays(self) -> None:
        for consumer in self.consumers:
            consumer.look_at_copies()

    def _carry_stranded(self) -> None:
        for consumer in self.consumers:
            consumer.leaving.try_again()

    def _announce(self) -> None:
        while not self._stopped.is_set():
            self._announcements.wait()
            self._announcements.send_waiting()
        self._announcements.send_waiting()

    def _run_lane(self, consumer: Consumer) -> None:
        while not self._stopping.is_set():
            try:
                if not consumer.run_once():
                    self._stopping.wait(LIFE_SECONDS)
            except (BrokerUnavailable, DatabaseError) as error:
                self._report_outage(consumer, error)
                self._stopping.wait(OUTAGE_SECONDS)
        consumer.finish()

    def _report_outage(self, consumer: Consumer, error: Exception) -> None:
        fields = Fields(subscription=consumer.mount.name, error=error)
        logger.warning("Waiting for the broker or the database. %s", fields)
        close_old_connections()

    def _every(self, seconds: float, action: Callable[[], object]) -> None:
        while not self._stopped.is_set():
            action()
            self._stopped.wait(seconds)

    def _thread(self, name: str, target: Callable[..., None], *arguments: object) -> threading.Thread:
        return threading.Thread(
            target=self._guarded, args=(name, target, *arguments), name=f"streamapp {name}", daemon=True
        )

    def _guarded(self, name: str, target: Callable[..., None], *arguments: object) -> None:
        try:
            target(*arguments)
        except (ConfigurationError, InvalidPosition) as error:
            logger.critical("Can't run as configured. %s", Fields(thread=name, error=error))
            self.failure = error
        except BaseException as error:
            logger.critical("Thread died, the worker ends. %s", Fields(thread=name), exc_info=error)
            self.failure = error
        finally:
            connections.close_all()
            if self.failure:
                self.ended.set()
