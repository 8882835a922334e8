"""The chronicle: writes down how the worker's subscriptions fare, for plots and for rewinds into the past."""

import logging
from collections.abc import Callable, Sequence

from django.db import Error as DatabaseError

from streamapp.engine.consumer import Consumer
from streamapp.engine.heartbeat import Heartbeat
from streamapp.observability.logs import Fields
from streamapp.observability.metrics import RECORDS_HANDLED
from streamapp.store import Store

logger = logging.getLogger("streamapp.chronicle")
TOTALS_SECONDS = 12.0
HISTORY_SECONDS = 60.0


class Chronicle:
    """Adds up totals several times a minute, and each minute notes checkpoints and prunes old notes.

    `run_once` is called by the sampler's thread, behind each sample, and uses its connection.
    """

    def __init__(
        self,
        consumers: Sequence[Consumer],
        heartbeat: Heartbeat,
        store: Store,
        days: float,
        clock: Callable[[], float],
    ) -> None:
        """Take for how many days notes are kept."""
        self._consumers = consumers
        self._heartbeat = heartbeat
        self._store = store
        self._days = days
        self._clock = clock
        self._totals_due = self._history_due = clock()
        self._told: dict[str, int] = {}

    def run_once(self) -> bool:
        """Write what is due; False if the database failed, which is reported and tried again."""
        try:
            if self._clock() >= self._totals_due:
                self._add_up()
                self._totals_due = self._clock() + TOTALS_SECONDS
            if self._clock() >= self._history_due and self._holds_shards():
                self._remember()
                self._history_due = self._clock() + HISTORY_SECONDS
        except DatabaseError as error:
            logger.warning("History not written, trying again. %s", Fields(error=error))
            return False
        return True

    def _add_up(self) -> None:
        counted = {c.mount.name: c.watch.tally.counts()[RECORDS_HANDLED] for c in self._consumers}
        self._store.history.add_up({name: n - self._told.get(name, 0) for name, n in counted.items()})
        self._told = counted

    def _holds_shards(self) -> bool:
        """Tell whether there is anything to note; a worker that starts has no shards for a moment."""
        return any(consumer.holdings.states for consumer in self._consumers)

    def _remember(self) -> None:
        if worker := self._heartbeat.identity:
            self._store.history.remember(worker)
            self._store.history.prune(self._days)
