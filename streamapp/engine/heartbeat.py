"""The worker's life: one row, one UPDATE an interval, on a thread and a connection of its own."""

import logging
import threading
from collections.abc import Callable, Sequence
from uuid import UUID

from django.db import Error as DatabaseError

from streamapp.engine.gate import Life
from streamapp.observability.logs import Fields
from streamapp.store import Store
from streamapp.store.connections import close_old_connections

logger = logging.getLogger("streamapp.heartbeat")


class Heartbeat:
    """Keeps a worker alive, or brings it back under a new identity once it has died.

    A worker that was declared dead, or whose last good renewal was sent longer ago than its TTL,
    never speaks under that identity again: its leases may be somebody else's.
    """

    def __init__(
        self, subscriptions: Sequence[str], ttl: float, store: Store, clock: Callable[[], float]
    ) -> None:
        self._subscriptions = subscriptions
        self._ttl = ttl
        self._store = store
        self._clock = clock
        self.life = Life()
        self.identity: UUID | None = None
        self.renewed_at = clock()
        """When the last good renewal was sent; at first, when there was none to send yet."""
        self._former: UUID | None = None
        self._departed = False
        self._one_at_a_time = threading.Lock()

    def beat(self) -> bool:
        """Renew once; False when the database failed, in which case life just runs on towards its end."""
        close_old_connections()
        with self._one_at_a_time:
            try:
                if not self._departed:
                    self._renew(self._clock())
            except DatabaseError as error:
                fields = Fields(worker=self.identity, error=error)
                logger.warning("Heartbeat not written, trying again. %s", fields)
                return False
        return True

    def _renew(self, sent: float) -> None:
        alive = self.identity and not self.life.is_over(sent)
        renewed = alive and self.identity and self._store.workers.renew(self.identity, self._ttl)
        if renewed and self.life.prolong(sent + self._ttl):
            self.renewed_at = sent
        else:
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Give the old identity up first, so that nothing is done under it any more."""
        old, self.identity = self.identity, None
        if old:
            self._former = old
            self.life.is_over(float("inf"))
            logger.error("Worker was silent for longer than its TTL and gives all up. %s", Fields(worker=old))
            self._store.workers.depart(old)
        self._store.workers.bury()
        self._store.workers.forget()
        sent = self._clock()
        identity = self._store.workers.register(self._subscriptions, self._ttl, heir_of=self._former)
        self.life.begin(sent + self._ttl)
        self.identity, self.renewed_at = identity, sent
        logger.info("Worker registered. %s", Fields(worker=identity))

    def depart(self) -> None:
        """Say goodbye, so that nobody waits for the TTL; no beat follows."""
        with self._one_at_a_time:
            self._departed = True
            try:
                if self.identity:
                    self._store.workers.depart(self.identity)
            except DatabaseError as error:
                logger.warning("Departure not written. %s", Fields(worker=self.identity, error=error))
