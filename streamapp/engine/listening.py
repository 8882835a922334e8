"""Hears of rewinds at once where the database can tell, so that nobody waits for the next save."""

import logging
from collections.abc import Callable, Sequence

from django.db import Error as DatabaseError

from streamapp.engine.consumer import Consumer
from streamapp.observability.logs import Fields
from streamapp.store import Store

logger = logging.getLogger("streamapp.listening")
HEAR_SECONDS = 1.0
PAUSE_SECONDS = 1.0


class Listener:
    """Wakes the savers of rewound subscriptions. One a process, in a thread with a connection of its own.

    Savers look once an interval in any case: whatever goes wrong here costs that second and nothing else.
    """

    def __init__(self, consumers: Sequence[Consumer], store: Store, ended: Callable[[], bool]) -> None:
        self._consumers = consumers
        self._store = store
        self._ended = ended
        self._failing = False

    @property
    def can_hear(self) -> bool:
        """Tell whether the database has notices."""
        return self._store.notices.can_hear

    def run_once(self) -> None:
        """Listen until the worker ends or the connection is lost; call again then, after a pause."""
        try:
            with self._store.notices.listening() as ear:
                self._failing = False
                # What was sent while nobody listened is found by looking.
                self._wake({consumer.subscription for consumer in self._consumers})
                while not self._ended():
                    self._wake(ear.hear(HEAR_SECONDS))
        except DatabaseError as error:
            self._report(error)

    def _wake(self, subscriptions: set[int]) -> None:
        for consumer in self._consumers:
            if consumer.subscription in subscriptions:
                consumer.saver.awake.set()

    def _report(self, error: DatabaseError) -> None:
        if not self._failing:
            self._failing = True
            fields = Fields(error=error)
            logger.warning("Not told of rewinds, looking for them once an interval goes on. %s", fields)
