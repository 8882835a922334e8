"""The part of the contract that a consumer polls: a reader, and what it brings.

See `streamapp.brokers.base` for what positions, threads and errors mean.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from streamapp.records import Record, Shard


class Chunk(ABC):
    """Consecutive records of one shard as one fetch brought them: chunks move, not single records.

    Records are made lazily, one by one, because most handlers need the value only. `position(i)`
    rises with `i`. `end` is the position behind the last record, past every gap known to follow it.
    """

    __slots__ = ("end", "shard")

    shard: Shard
    end: int

    @abstractmethod
    def __len__(self) -> int:
        """Return how many records there are; never 0."""

    @abstractmethod
    def position(self, index: int) -> int:
        """Return the position of one record."""

    @abstractmethod
    def values(self, start: int = 0, stop: int | None = None) -> list[bytes | None]:
        """Return the payloads of neighbouring records, by default all, in order; None for a tombstone."""

    def value(self, index: int) -> bytes | None:
        """Return the payload of one record; None for a tombstone."""
        return self.record(index).value

    def keys(self) -> list[bytes | None]:
        """Return the keys of all records, in order."""
        return [self.record(index).key for index in range(len(self))]

    @abstractmethod
    def record(self, index: int) -> Record:
        """Return one record whole."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """The broker gave these shards to this reader, maybe none. They stay silent until `Reader.open`."""

    shards: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class Revoked:
    """The broker takes these shards back; saves of their checkpoints are still accepted for a moment."""

    shards: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """These shards are gone already; somebody else may be reading them."""

    shards: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class OutOfRange:
    """The log doesn't keep `position`; the shard stands still until it is opened elsewhere."""

    shard: Shard
    position: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A named stream doesn't exist (yet); the reader goes on waiting for it. Said once a stream."""

    stream: str


Event = Assigned | Revoked | Lost | OutOfRange | Missing


@dataclass(frozen=True, slots=True)
class Polled:
    """What one poll brought, in the order in which it must be dealt with: events, chunks, ends.

    `ends` holds shards that were read to the end of their log, with the position reached there. That
    is how transaction markers and compacted records behind the last one are passed. The end of a
    closed shard, behind which nothing will ever come, is `streamapp.positions.SHARD_END`.

    `asked` says of an end, by time.monotonic(), when the question was sent to which it is the answer:
    all that was confirmed before is delivered by now. A broker whose `Bounds.end` is a moment must say
    it, because no position tells there how far reading has come.
    """

    events: Sequence[Event] = ()
    chunks: Sequence[Chunk] = ()
    ends: Mapping[Shard, int] = field(default_factory=dict)
    asked: Mapping[Shard, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Behind:
    """How far reading is behind the end of a shard's log; None where nothing tells without asking.

    `records` counts what is there and wasn't delivered. `milliseconds` is about how long ago the
    oldest of it was written: 0 at the end of the log.
    """

    records: int | None = None
    milliseconds: int | None = None


class Reader(ABC):
    """Reads the shards of one subscription for one worker.

    A reader that `assigns` is told its shards by the broker (a Kafka group) and reports `Assigned`,
    `Revoked` and `Lost`. Any other is told its shards by the engine, which spreads them by leases.
    Only shards that were opened deliver, from exactly the position given: never an earlier record,
    and no record of a shard that was closed, revoked or lost in the meantime.
    """

    assigns: ClassVar[bool] = False

    @abstractmethod
    def poll(self, timeout: float) -> Polled:
        """Return what is there, waiting up to `timeout` seconds for the first record or event.

        At most the `limit` records given at creation. Also resumes what `keep_alive` paused. Raises
        ReaderFailed when no further call can succeed.
        """

    @abstractmethod
    def keep_alive(self) -> None:
        """Keep the membership while a handler takes long; called instead of `poll`, returns at once.

        Events and records that arrive are kept, in order, for the next `poll`.
        """

    @abstractmethod
    def open(self, positions: Mapping[Shard, int]) -> None:
        """Read each of these shards from its position on, also those being read or paused already."""

    @abstractmethod
    def close_shards(self, shards: Iterable[Shard]) -> None:
        """Stop reading these shards; unknown ones are ignored."""

    @abstractmethod
    def pause(self, shards: Iterable[Shard]) -> None:
        """Deliver nothing of these shards until `resume` or `open`; nothing is lost."""

    @abstractmethod
    def resume(self, shards: Iterable[Shard]) -> None:
        """Go on behind the last record delivered of these shards."""

    @abstractmethod
    def mirror(self, positions: Mapping[Shard, int]) -> None:
        """Show saved checkpoints to the broker's own lag tools; doesn't wait, never raises for the broker."""

    def lags(self) -> Mapping[Shard, Behind]:
        """Return how far reading is behind, from what the broker last said: asks nobody, costs little.

        A shard of whose end nothing is heard now, because it rests or its broker doesn't answer, is
        left out: what was known of it grows old.
        """
        return {}

    @abstractmethod
    def close(self) -> None:
        """Leave and free everything, within seconds. Afterwards no other method may be called."""
