"""Delayed records of one subscription in one worker: claimed when they are due, handled in the lanes.

The row of a copy goes when it is settled. A worker that dies keeps its claims until they run out: late
rather than lost.
"""

import logging
import threading
from collections.abc import Sequence
from uuid import UUID

from django.db import Error as DatabaseError

from streamapp.engine.copy import CopyState
from streamapp.engine.gate import Gate
from streamapp.engine.holdings import Holdings
from streamapp.engine.shard import Slice
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.store import Store
from streamapp.store.connections import close_old_connections

logger = logging.getLogger("streamapp.delays")
LOOK_SECONDS = 1.0
CLAIM_SECONDS = 60.0
FEWEST, MOST = 10, 1000
"""How many copies a worker has in hand: twice as many as it has handled since the last look, so that a
handler that waits for a service that is down keeps the other records waiting for a few only."""


class Delays:
    """The copies that this worker has in hand; safe for threads. `take` is for the thread that polls."""

    def __init__(self, mount: Mount, holdings: Holdings, store: Store, gate: Gate) -> None:
        self._mount = mount
        self._holdings = holdings
        self._store = store
        self._gate = gate
        self._lock = threading.Lock()
        self._arrived: list[CopyState] = []
        self._in_hand: list[CopyState] = []
        self._one_at_a_time = threading.Lock()
        self._room = FEWEST
        self._closed = False

    def look_once(self) -> bool:
        """End what was handled, keep what is in hand, claim what is due; False if the database failed."""
        try:
            close_old_connections()
            with self._one_at_a_time:
                self._end()
                if self._may_claim():
                    self._claim()
        except DatabaseError as error:
            logger.warning("Delayed records not looked at, trying again. %s", self._fields(error=error))
            return False
        return True

    def in_hand(self) -> list[CopyState]:
        """Return the copies that are to be handled, or whose rows are to be ended; from any thread."""
        with self._lock:
            return [copy for copy in self._in_hand if not copy.stranded]

    def take(self) -> list[Slice]:
        """Return, once, the copies that were claimed since."""
        if not self._arrived:
            return []
        with self._lock:
            arrived, self._arrived = self._arrived, []
        return [copy.part for copy in arrived]

    def forget(self) -> None:
        """Void what is in hand, because the lanes have forgotten it; the claims are given back."""
        with self._lock:
            self._arrived = []
            for copy in self._in_hand:
                if not copy.is_handled:
                    copy.void()

    def close(self) -> None:
        """End what was handled and give back the rest, because no call starts any more."""
        self._closed = True
        self.forget()
        self.look_once()

    def _end(self) -> None:
        with self._lock:
            copies = list(self._in_hand)
        handled = [copy for copy in copies if copy.is_handled]
        self._store.delayed.finish(_claims(handled))
        # Asked about those only: one that is handled at this moment comes next time.
        rest = [copy for copy in copies if copy not in handled]
        held = [copy for copy in rest if copy.part.current and copy.is_held]
        for copy in held:
            self._store.delayed.hold(copy.claimed, copy.held_because)
        void = [copy for copy in rest if copy not in held and not copy.part.current]
        self._store.delayed.release(_claims(void))
        kept = [copy for copy in rest if copy not in held and copy not in void]
        self._store.delayed.renew(_claims(kept), CLAIM_SECONDS)
        with self._lock:
            self._in_hand = kept
            self._room = min(MOST, max(FEWEST, 2 * len(handled)))

    def _may_claim(self) -> bool:
        """Tell whether copies may be handled; what is in hand already waits as long as they may not."""
        orders = self._holdings.orders
        paused = bool(orders.paused or orders.drained)
        with self._lock:
            for copy in self._in_hand:
                copy.paused = paused
        return self._gate.alive and not self._closed and not paused

    def _room_left(self) -> int:
        """Return how many copies more may be taken in hand; the stranded ones stay, and stop no others."""
        with self._lock:
            at_work = sum(not copy.stranded for copy in self._in_hand)
            return min(self._room - at_work, MOST - len(self._in_hand))

    def _claim(self) -> None:
        room = self._room_left()
        claimed = self._store.delayed.claim(self._mount.name, CLAIM_SECONDS, room) if room > 0 else []
        with self._lock:
            arrived = [CopyState(each) for each in claimed]
            self._in_hand += arrived
            self._arrived += arrived
        if claimed:
            logger.info("Delayed records claimed. %s", self._fields(records=len(claimed)))

    def _fields(self, **more: object) -> Fields:
        return Fields(subscription=self._mount.name, **more)


def _claims(copies: Sequence[CopyState]) -> dict[int, UUID]:
    return {copy.claimed.id: copy.claimed.claim for copy in copies}
