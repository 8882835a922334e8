"""Records whose destination didn't take them, and which destinations are left alone for the moment."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from streamapp.engine.departure import Departure

PAUSE_SECONDS = 10.0
"""How long a destination is left alone after it has refused a record: at most six tries a minute."""


@dataclass(slots=True)
class Refusal:
    """A destination that doesn't take records: since when, why, and for which record that showed first."""

    departure: Departure
    since: float
    until: float
    text: str


class Stranding:
    """What one subscription couldn't put elsewhere. Its records are held; safe for threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: list[Departure] = []
        self._refusals: dict[str, Refusal] = {}

    def is_open(self, destination: str) -> bool:
        """Tell whether a destination may be tried now."""
        with self._lock:
            refusal = self._refusals.get(destination)
            return refusal is None or self._clock() >= refusal.until

    def accepted(self, destination: str) -> None:
        """Note that a destination takes records."""
        if self._refusals:
            with self._lock:
                self._refusals.pop(destination, None)

    def refused(self, departure: Departure, text: str) -> None:
        """Note that a destination didn't take a record, and leave it alone for a while."""
        with self._lock:
            now, known = self._clock(), self._refusals.get(departure.to)
            since = known.since if known else now
            self._refusals[departure.to] = Refusal(departure, since, now + PAUSE_SECONDS, text)

    def add(self, departure: Departure) -> None:
        """Keep a held record, to be tried again."""
        with self._lock:
            self._waiting.append(departure)

    def take_due(self) -> list[Departure]:
        """Return, once, the records that may be tried now; what was moved or skipped is forgotten."""
        with self._lock:
            now = self._clock()
            current = [each for each in self._waiting if each.is_held]
            closed = {to for to, refusal in self._refusals.items() if now < refusal.until}
            self._waiting = [each for each in current if each.to in closed]
            return [each for each in current if each.to not in closed]

    def refusals(self) -> list[Refusal]:
        """Return the destinations that don't take records."""
        with self._lock:
            return list(self._refusals.values())
