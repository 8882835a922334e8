"""Looking at records of a shard without reading it for a subscription: what may be spent, what was found."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from streamapp.exceptions import InvalidPosition
from streamapp.records import Record, Shard


@dataclass(frozen=True, slots=True)
class Limits:
    """What one look may bring and take: records, bytes of keys, values and headers, and seconds.

    The record that reaches `size` is still brought, so that a large record can be seen at all.
    """

    records: int
    size: int
    seconds: float


class Stop(StrEnum):
    """Why a look ended."""

    END = "end"
    """There is nothing more to read now."""
    RECORDS = "records"
    BYTES = "bytes"
    SECONDS = "seconds"
    READS = "reads"
    """The shard gives so many reads a second to all its readers, and this look took its share."""


@dataclass(frozen=True, slots=True)
class Peeked:
    """What a look found. `begin` is where it began: elsewhere than asked if the log doesn't keep that place.

    `next` is where another look goes on. `reads` counts what was spent of a shard's limited reads; 0
    where reads aren't limited.
    """

    records: tuple[Record, ...]
    begin: int
    next: int
    stop: Stop
    reads: int = 0


Glance = Peeked | InvalidPosition
"""What a look for one record has found; InvalidPosition where no record can be at the place."""
FIRST_SIZE = 1024 * 1024
"""How many bytes a look for one record may bring."""


class Gathering:
    """Collects records until a limit is reached. Used by one thread."""

    def __init__(self, position: int, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin at a position and with the time; `clock` counts seconds."""
        self.begin = self.next = position
        self.records: list[Record] = []
        self._limits = limits
        self._clock = clock
        self._until = clock() + limits.seconds
        self._size = 0

    @property
    def seconds_left(self) -> float:
        """Return for how long more may be waited; 0 or more."""
        return max(0.0, self._until - self._clock())

    @property
    def records_left(self) -> int:
        """Return how many records more may be brought."""
        return self._limits.records - len(self.records)

    @property
    def stop(self) -> Stop | None:
        """Return which limit is reached, if one is."""
        if self.records_left <= 0:
            return Stop.RECORDS
        if self._size >= self._limits.size:
            return Stop.BYTES
        return None if self.seconds_left else Stop.SECONDS

    def move(self, position: int) -> None:
        """Begin elsewhere; nothing was added yet."""
        self.begin = self.next = position

    def add(self, record: Record, behind: int) -> None:
        """Keep a record; `behind` is the position behind it."""
        self.records.append(record)
        self.next = behind
        self._size += _size(record)

    def peeked(self, stop: Stop, reads: int = 0) -> Peeked:
        """Return what was found."""
        return Peeked(tuple(self.records), self.begin, self.next, stop, reads)


def gone(shard: Shard) -> InvalidPosition:
    """Return the error for a shard that isn't there, or is one of a stream that was made again."""
    return InvalidPosition(f"{shard} isn't there any more: its stream was deleted or made again.")


def _size(record: Record) -> int:
    headers = sum(len(name) + len(value) for name, value in record.headers.items())
    return len(record.value or b"") + len(record.key or b"") + headers
