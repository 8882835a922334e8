"""DEAD_LETTER_LIMIT: a broken deploy must not empty a topic into the dead letters.

Nothing is counted for a record that is handled: how many came to an outcome is known from the work that
ended, and where in its work a failed record stands.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from django.db import Error as DatabaseError

from streamapp.engine.shard import Slice
from streamapp.ladder import Limit
from streamapp.observability.logs import Fields

logger = logging.getLogger("streamapp.limit")
Pause = Callable[[str, str], None]
"""Pauses a subscription, named first, for a reason; raises django.db.Error."""


@dataclass(frozen=True, slots=True)
class Tripped:
    """That there were too many dead letters: since when, and the first record that was held instead."""

    part: Slice
    since: float
    reason: str


class LetterLimit:
    """Counts the dead letters of one subscription in one worker; safe for threads.

    Once there are too many, no more are written: records are held instead, until `reset`.
    """

    def __init__(
        self,
        subscription: str,
        limit: Limit | None,
        concluded: Callable[[], int],
        clock: Callable[[], float],
        pause: Pause | None,
    ) -> None:
        """Take what counts the records that came to an outcome, and what pauses the subscription."""
        self._subscription = subscription
        self._limit = limit
        self._concluded = concluded
        self._clock = clock
        self._pause = pause
        self._lock = threading.Lock()
        self._letters: deque[int] = deque(maxlen=limit.letters if limit else 0)
        self._copies = 0
        self._was_paused = False
        self._is_paused = False
        self.tripped: Tripped | None = None

    def allows(self, part: Slice, index: int) -> bool:
        """Tell whether a record may become a dead letter, which is then counted as one."""
        if self._limit is None:
            return True
        place = self._concluded() + part.indexes.index(index)
        with self._lock:
            place -= self._copies
            full = len(self._letters) == self._limit.letters
            if self.tripped is None and full and place - self._letters[0] <= self._limit.records:
                reason = f"Too many dead letters: {self._limit}."
                self.tripped = Tripped(part.rest([index]), self._clock(), reason)
            if self.tripped is None:
                self._letters.append(place)
                return True
        self._stop()
        return False

    def copied(self) -> None:
        """Note a record that left as a copy: it was not handled, and makes no letters less close."""
        with self._lock:
            self._copies += 1

    @property
    def reason(self) -> str:
        """Say why no more dead letters are written."""
        return self.tripped.reason if self.tripped else ""

    def follow(self, *, paused: bool) -> None:
        """Begin to count anew when somebody has resumed the subscription that was paused for the limit."""
        resumed = self._was_paused and not paused
        self._was_paused = paused
        if resumed and self.tripped:
            self.reset()

    def reset(self) -> None:
        """Begin to count anew, because somebody has let the subscription go on."""
        with self._lock:
            self._letters.clear()
            self.tripped, self._is_paused = None, False

    def _stop(self) -> None:
        tripped = self.tripped
        if tripped is None or self._is_paused:
            return
        fields = Fields(subscription=self._subscription, reason=tripped.reason)
        logger.error("No more dead letters are written, records are held. %s", fields)
        try:
            if self._pause:
                self._pause(self._subscription, tripped.reason)
            self._is_paused = True
        except DatabaseError as error:
            logger.warning("Subscription not paused, trying again. %s", Fields(error=error))
