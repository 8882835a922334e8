"""Showing operators what is wrong now: the alerts of a worker as rows."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

from django.db import Error as DatabaseError

from streamapp.engine.consumer import Consumer
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.retention import RetentionWatch
from streamapp.engine.shard import Slice
from streamapp.engine.stuck import StuckCalls
from streamapp.observability.logs import Fields
from streamapp.store import Store
from streamapp.store.alerts import AlertKind, Warned
from streamapp.store.connections import close_old_connections

logger = logging.getLogger("streamapp.alerting")
LOOK_SECONDS = 1.0
Shown = tuple[UUID | None, frozenset[tuple[int, AlertKind, int]]]


class Alerting:
    """Looks often and writes seldom: only when something else is wrong than before."""

    def __init__(
        self,
        consumers: Sequence[Consumer],
        heartbeat: Heartbeat,
        stuck: StuckCalls,
        retention: RetentionWatch,
        store: Store,
        clock: Callable[[], float],
    ) -> None:
        self._consumers = consumers
        self._heartbeat = heartbeat
        self._stuck = stuck
        self._retention = retention
        self._store = store
        self._clock = clock
        self._shown: Shown = (None, frozenset())
        self._counts: dict[str, Counter[AlertKind]] = {}

    def run_once(self) -> bool:
        """Look, and write what has changed; False if the database failed, which is tried again."""
        found = {consumer.mount.name: list(self._found(consumer)) for consumer in self._consumers}
        self._counts = {name: Counter(alert.kind for alert in alerts) for name, alerts in found.items()}
        try:
            self._show([alert for alerts in found.values() for alert in alerts])
        except DatabaseError as error:
            logger.warning("Alerts not written, trying again. %s", Fields(error=error))
            return False
        return True

    def count(self, subscription: str) -> dict[AlertKind, int]:
        """Return how much of each kind is wrong with a subscription, by the last look."""
        counted = self._counts.get(subscription, Counter())
        return {kind: counted[kind] for kind in AlertKind}

    def _found(self, consumer: Consumer) -> Iterator[Warned]:
        yield from self._stuck.look(consumer)
        yield from self._retention.found(consumer)
        yield from self._unwritten(consumer)
        for shard, stopped in list(consumer.watch.stopped.items()):
            state = consumer.holdings.states.get(shard)
            if state is not None and state.generation == stopped.generation:
                seconds = self._clock() - stopped.since
                kind = AlertKind.STOPPED
                yield Warned(state.checkpoint, kind, stopped.position, seconds, stopped.reason)

    def _unwritten(self, consumer: Consumer) -> Iterator[Warned]:
        """Yield an alert for each place that takes no copies or letters, and one for too many letters."""
        for refusal in consumer.leaving.stranding.refusals():
            place, text = refusal.departure.part, f"{refusal.departure.to}: {refusal.text}"
            yield from self._told_of(consumer, place, AlertKind.UNWRITTEN, refusal.since, text)
        if tripped := consumer.limit.tripped:
            kind, since = AlertKind.LIMIT, tripped.since
            yield from self._told_of(consumer, tripped.part, kind, since, tripped.reason)

    def _told_of(
        self, consumer: Consumer, part: Slice, kind: AlertKind, since: float, text: str
    ) -> Iterator[Warned]:
        """Yield an alert at a record; the shard of a copy may be another worker's, then any of ours tells."""
        held = list(consumer.holdings.states.values())
        state = next((each for each in held if each.shard == part.chunk.shard), held[0] if held else None)
        if state:
            position = part.chunk.position(part.indexes[0])
            yield Warned(state.checkpoint, kind, position, self._clock() - since, text)

    def _show(self, alerts: Sequence[Warned]) -> None:
        worker = self._heartbeat.identity
        shown = worker, frozenset((alert.checkpoint, alert.kind, alert.position) for alert in alerts)
        if worker is None or shown == self._shown or not (alerts or self._shown[1]):
            return
        close_old_connections()
        self._store.alerts.replace(worker, alerts)
        self._shown = shown
