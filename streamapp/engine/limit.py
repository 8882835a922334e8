"""DEAD_LETTER_LIMIT: a broken deploy must not empty a topic into the dead letters.

Nothing is counted for a record that is handled: how many came to an outcome is known from the work that
ended, and where in its work a failed record stands. Letters are counted in the database, so that all
workers of a subscription have one limit together.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from django.db import Error as DatabaseError

from streamapp.engine.shard import Slice
from streamapp.ladder import Limit
from streamapp.observability.logs import Fields
from streamapp.store.letter_counts import Letter, LetterCountStore

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
    """Counts the dead letters of one subscription; safe for threads, which take turns to count.

    Once there are too many, in whichever worker, no more are written: records are held instead, until
    somebody resumes the subscription.
    """

    def __init__(
        self,
        subscription: str,
        limit: Limit | None,
        concluded: Callable[[], int],
        clock: Callable[[], float],
        counts: LetterCountStore,
        pause: Pause | None,
    ) -> None:
        """Take what counts the records that came to an outcome, and what pauses the subscription."""
        self._subscription = subscription
        self._limit = limit
        self._concluded = concluded
        self._clock = clock
        self._counts = counts
        self._pause = pause
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self._counted = -1
        self._copies = 0
        self._is_paused = False
        self.tripped: Tripped | None = None

    def allows(self, part: Slice, index: int) -> bool:
        """Tell whether a record may become a dead letter, which is then counted as one.

        Raises django.db.Error, with nothing counted.
        """
        if self._limit is None:
            return True
        with self._one_at_a_time:
            if self._count(part, index, self._limit):
                self._begin_anew()
                return True
            if self.tripped is None:
                reason = f"Too many dead letters: {self._limit}."
                self.tripped = Tripped(part.rest([index]), self._clock(), reason)
        self._stop(self.tripped)
        return False

    def copied(self) -> None:
        """Note a record that left as a copy: it was not handled, and makes no letters less close."""
        with self._lock:
            self._copies += 1

    @property
    def reason(self) -> str:
        """Say why no more dead letters are written."""
        return self.tripped.reason if self.tripped else ""

    def follow(self) -> None:
        """Write dead letters again once somebody has resumed, and pause till then if that has failed.

        Never raises for a failing database.
        """
        if (tripped := self.tripped) is None:
            return
        try:
            if self._counts.is_tripped(self._subscription):
                self._stop(tripped)
            else:
                self._begin_anew()
        except DatabaseError as error:
            logger.warning("Limit not looked at, trying again. %s", Fields(error=error))

    def _count(self, part: Slice, index: int, limit: Limit) -> bool:
        place = self._concluded() + part.indexes.index(index)
        with self._lock:
            place -= self._copies
        shard, position = part.chunk.shard, part.chunk.position(index)
        letter = Letter(f"{shard}@{position}", max(0, place - self._counted))
        allowed = self._counts.count(self._subscription, letter, limit)
        if allowed:
            self._counted = max(self._counted, place)
        return allowed

    def _begin_anew(self) -> None:
        self.tripped, self._is_paused = None, False

    def _stop(self, tripped: Tripped) -> None:
        if self._is_paused:
            return
        fields = Fields(subscription=self._subscription, reason=tripped.reason)
        logger.error("No more dead letters are written, records are held. %s", fields)
        try:
            if self._pause:
                self._pause(self._subscription, tripped.reason)
            self._is_paused = True
        except DatabaseError as error:
            logger.warning("Subscription not paused, trying again. %s", Fields(error=error))
