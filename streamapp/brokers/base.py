"""The contract between the engine and a broker.

The engine deals in shards and in whole numbers: a *position* is the next record to read, larger
numbers are later, and only the broker knows what else a number means. A broker therefore packs
whatever it reads by into one `int` (Kafka: the offset; Kinesis: the sequence number with *at* or
*after*). Gaps between numbers are normal: a position need not name an existing record.

Threads: a `Broker` may be used from any thread. A `Reader` is used by one thread at a time; its
owner sees to that with a lock. No method of either touches the database of the project, except in
the local broker, whose log is that database.

Errors: `BrokerUnavailable` when the broker doesn't answer within the configured timeout. Callers
may always ask again. Nothing blocks without a bound.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from streamapp.brokers.looking import Glance, Limits, Peeked
from streamapp.brokers.reading import Reader
from streamapp.exceptions import InvalidPosition
from streamapp.positions import Position
from streamapp.records import Bounds, Shard

LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Source:
    """What a subscription reads; each broker has its own kinds."""

    def problems(self) -> Iterable[str]:
        """Yield what is wrong with the source as far as it can be seen without I/O."""
        return ()

    def streams(self) -> Sequence[str]:
        """Return the names (or the one `^` pattern) as written, for people."""
        raise TypeError(f"{type(self).__name__} must name its streams.")


@dataclass(frozen=True, slots=True)
class Kept:
    """What retention leaves of a shard's log; None where nobody can tell.

    `first` and `end` are as in `Bounds`; `seconds` is the age at which records go. `since` is the place
    of the moment that is so long ago, where a moment is a position.
    """

    first: int | None = None
    end: int | None = None
    seconds: float | None = None
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Subscribing:
    """What a broker must know to make a reader.

    `group` is the broker-side name of the subscription. `limit` bounds the records of one poll;
    `linger` is how many seconds a poll may wait, once the first record is there, for its records to be
    a multiple of `batch`.
    """

    name: str
    source: Source
    group: str
    limit: int = 500
    linger: float = 0.0
    batch: int = 1


@dataclass(frozen=True, slots=True)
class Published:
    """Where the broker confirmed a record."""

    shard: Shard
    position: int


class Broker(ABC):
    """One entry of STREAMAPP["BROKERS"]."""

    source_types: ClassVar[tuple[type[Source], ...]] = ()

    def __init__(self, alias: str, options: Mapping[str, Any]) -> None:
        """Keep the options; no I/O happens before the first use."""
        self.alias = alias
        self.options = options

    @classmethod
    def option_problems(cls, options: Mapping[str, Any]) -> Iterable[str]:  # noqa: ARG003
        """Yield what is wrong with the options as far as it can be seen without I/O."""
        return ()

    @abstractmethod
    def position_problem(self, position: Position) -> str | None:
        """Say why a position can't be one of this broker, or None; without I/O."""

    @abstractmethod
    def whole(self, stream: str) -> Source:
        """Return the source that is one whole stream, read without a group."""

    @abstractmethod
    def shards(self, source: Source) -> list[Shard]:
        """Return all shards the source has now, in order; streams that don't exist have none."""

    def lineage(self, source: Source, max_age: float = 0.0) -> dict[Shard, tuple[Shard, ...]]:  # noqa: ARG002
        """Return all shards as `shards` does, each with those that must be finished before it is read.

        Parents that the source doesn't list any more are left out. The answer may be `max_age` seconds
        old, so that many subscriptions to one stream need not ask as many times.
        """
        return dict.fromkeys(self.shards(source), ())

    @abstractmethod
    def resolve(self, position: Position, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Turn a position into numbers, for those of `shards` that it names.

        Raises InvalidPosition if it names none of them. A moment behind the last record is the end
        of the log as a number, taken before the question was asked, so that nothing falls between.
        """

    @abstractmethod
    def bounds(self, shards: Sequence[Shard]) -> dict[Shard, Bounds]:
        """Return what the logs keep now; shards that don't exist (any more) are left out."""

    def kept(self, shards: Sequence[Shard]) -> dict[Shard, Kept]:
        """Return what retention leaves of the logs, asked for all shards at once.

        What isn't asked often needs no answer: callers look once a minute.
        """
        found = self.bounds(shards).items()
        return {shard: Kept(bounds.first, bounds.end) for shard, bounds in found if not bounds.is_moment}

    def inherited(self, group: str, shards: Sequence[Shard]) -> dict[Shard, int]:  # noqa: ARG002
        """Return where an existing consumer of that group stands, as far as it has committed."""
        return {}

    @abstractmethod
    def reader(self, subscribing: Subscribing) -> Reader:
        """Make a reader. It belongs to the thread that polls it."""

    def assigns(self, source: Source) -> bool:  # noqa: ARG002
        """Tell whether the broker says which worker reads which shard of a source; without I/O."""
        return False

    @abstractmethod
    def publish(
        self,
        destination: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Mapping[str, bytes] | None = None,
    ) -> Published:
        """Store one record and return when the broker has confirmed it.

        Raises PublishFailed when it was refused or not confirmed in time.
        """

    @abstractmethod
    def peek(self, shard: Shard, position: int, limits: Limits) -> Peeked:
        """Look at records from a position on, beside whoever reads the shard: no group, no lease, no commit.

        A place that the log doesn't keep is moved to its nearest end. Blocks for about as long as
        `limits` says, and brings no more. Raises InvalidPosition for a shard that isn't there (any more)
        in its incarnation, or if no record can be at that place; BrokerUnavailable if no answer comes.
        """

    @abstractmethod
    def firsts(self, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Glance]:
        """Look at the first record at each of these places or behind it, for so many seconds in all.

        Otherwise as `peek` with one record. Shards that aren't there (any more) are left out, and so are
        those for which the time was too short. Raises BrokerUnavailable if no answer comes at all.
        """

    def describe(self, position: int) -> str:
        """Write a number for people."""
        return str(position)

    def read(self, text: str) -> int:
        """Return the number that `describe` has written, without I/O. Raises InvalidPosition."""
        if not text.isdecimal() or len(text) > len(str(LARGEST)) or int(text) > LARGEST:
            raise InvalidPosition(f"{text!r} is no offset: write a whole number from 0 to {LARGEST}.")
        return int(text)

    def records_between(self, first: int, end: int) -> int | None:
        """Return how many records lie between two positions of a shard, at most, negative backwards.

        None where positions don't count records.
        """
        return end - first

    def is_before(self, position: int, other: int) -> bool | None:
        """Tell whether a position lies in front of another one of its shard; None where only the log knows.

        Numbers are in the order of reading for one kind of position; a moment and a record don't compare.
        """
        return position < other

    @abstractmethod
    def close(self) -> None:
        """Free clients and threads; safe to call twice."""
