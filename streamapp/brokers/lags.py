"""How far behind a reader is that counts records and knows when each was written."""

import time
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from streamapp.brokers.reading import Behind

KeyT = TypeVar("KeyT", bound=Hashable)


def milliseconds_now() -> int:
    """Return this machine's time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Lags(Generic[KeyT]):
    """Remembers of each shard up to when all that was written is delivered."""

    def __init__(self, clock: Callable[[], int] = milliseconds_now) -> None:
        """Take what returns the present moment in milliseconds since the epoch."""
        self._clock = clock
        self._delivered_to: dict[KeyT, int] = {}

    def opened(self, keys: Iterable[KeyT]) -> None:
        """Note that shards are read from another place."""
        for key in keys:
            self._delivered_to.pop(key, None)

    def delivered(self, key: KeyT, written: int | None) -> None:
        """Note when the last delivered record was written, in milliseconds since the epoch, if known."""
        if written is not None:
            self._delivered_to[key] = max(written, self._delivered_to.get(key, written))

    def behind(self, key: KeyT, records: int) -> Behind:
        """Return the lag of a shard of which so many records weren't delivered.

        Asked at the end of the log, it remembers the moment: what comes after a quiet night isn't a
        night behind.
        """
        now = self._clock()
        if records <= 0:
            self._delivered_to[key] = now
            return Behind(0, 0)
        delivered_to = self._delivered_to.get(key)
        return Behind(records, None if delivered_to is None else max(0, now - delivered_to))
