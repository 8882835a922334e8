"""How often a shard may be read: Kinesis counts 5 reads and 2 MB a second over all its readers."""

import threading
import time
from collections.abc import Callable

from streamapp.records import Shard

READ_SECONDS = 0.2
BYTES_A_SECOND = 2 * 1024 * 1024


class Pace:
    """The pace of one shard, shared by all subscriptions of the process. Used from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Take a clock in seconds."""
        self._clock = clock
        self._begun = self._next = self._paid = clock()
        self._lock = threading.Lock()

    def wait(self) -> float:
        """Return 0 and count a read, or return the seconds until one is allowed."""
        with self._lock:
            now = self._clock()
            due = max(self._next, self._paid)
            if now < due:
                return due - now
            self._begun, self._next = now, now + READ_SECONDS
            return 0.0

    def spend(self, size: int) -> None:
        """Count the bytes that a read has brought; the time that it took counts too."""
        with self._lock:
            self._paid = max(self._paid, self._begun) + size / BYTES_A_SECOND


class Paces:
    """One pace a shard."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Take a clock in seconds."""
        self._clock = clock
        self._paces: dict[Shard, Pace] = {}

    def of(self, shard: Shard) -> Pace:
        """Return the pace of a shard."""
        return self._paces.setdefault(shard, Pace(self._clock))
