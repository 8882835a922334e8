"""The local broker."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from streamapp.brokers.base import Broker, Published, Source, Subscribing
from streamapp.brokers.kafka.sources import KafkaPartitions, KafkaTopic, KafkaTopics
from streamapp.brokers.kinesis.sources import KinesisStream
from streamapp.brokers.local.entry import Entry
from streamapp.brokers.local.looking import firsts, peek
from streamapp.brokers.local.reader import LocalReader
from streamapp.brokers.local.resolving import resolve
from streamapp.brokers.local.sources import LocalStream, belonging, named_streams
from streamapp.brokers.looking import Glance, Limits, Peeked
from streamapp.brokers.reading import Reader
from streamapp.conf import configuration
from streamapp.positions import At, Position
from streamapp.records import Bounds, Shard

LAST_OFFSET = 2**63 - 1


def utc_now() -> datetime:
    """Return the present moment, aware."""
    return datetime.now(UTC)


class LocalBroker(Broker):
    """A partitioned log in the project's own database, for several processes at once.

    It takes the sources of Kafka and Kinesis too, so that a project that uses those in production runs
    on it without a change of code. All sources are spread by leases. Streams are made when a reader or
    a publish first needs them, with OPTIONS["partitions"] partitions (1) unless the source says how
    many; a `^` pattern finds only those that exist. Raises django.db.Error as it comes.
    """

    source_types = (LocalStream, KafkaTopic, KafkaTopics, KafkaPartitions, KinesisStream)

    def __init__(
        self,
        alias: str,
        options: Mapping[str, Any],
        *,
        clock: Callable[[], datetime] = utc_now,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        """Take what tells the time and what waits so many seconds between two queries of a reader."""
        # Both need the models, and this module is imported before they are ready.
        from streamapp.brokers.local.log import Log  # noqa: PLC0415
        from streamapp.brokers.local.publishing import Publisher  # noqa: PLC0415

        super().__init__(alias, options)
        self._partitions: int = options.get("partitions", 1)
        self._clock = clock
        self._wait = wait
        self._log = Log(alias, configuration().DATABASE)
        self._publisher = Publisher(self._log, self._partitions, clock)

    @classmethod
    def option_problems(cls, options: Mapping[str, Any]) -> Iterable[str]:
        """Refuse unknown options and a number of partitions that is none."""
        for name in sorted(options.keys() - {"partitions"}):
            yield f"{name!r} is not an option of the local broker. It has one: 'partitions'."
        partitions = options.get("partitions", 1)
        if not isinstance(partitions, int) or partitions < 1:
            yield f"'partitions' is a whole number of 1 or more, not {partitions!r}."

    def position_problem(self, position: Position) -> str | None:
        """Say that a shard is no partition number, or a number no offset; all else is one of this broker."""
        if isinstance(position, At) and not position.shard.isdecimal():
            return f"{position.shard!r} is not a partition. Write the partition's number: 3@1200."
        if isinstance(position, At) and not 0 <= position.number <= LAST_OFFSET:
            return f"{position} is no place of a log: offsets go from 0 to {LAST_OFFSET}."
        return None

    def whole(self, stream: str) -> Source:
        """Return all partitions of a stream."""
        return KafkaPartitions(stream)

    def shards(self, source: Source) -> list[Shard]:
        """Return all partitions the source has now, by stream and number."""
        return belonging(self._log.shards(), source)

    def resolve(self, position: Position, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Turn a position into offsets; shards of deleted streams are left out.

        Raises InvalidPosition if it names none of the shards, or the same partition of two streams.
        """
        return resolve(position, shards, self._log, self._clock())

    def bounds(self, shards: Sequence[Shard]) -> dict[Shard, Bounds]:
        """Return what the partitions keep now; those of deleted streams are left out."""
        return self._log.bounds(shards)

    def peek(self, shard: Shard, position: int, limits: Limits) -> Peeked:
        """Look at records from an offset on."""
        return peek(self._log, shard, min(position, LAST_OFFSET), limits)

    def firsts(self, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Glance]:  # noqa: ARG002
        """Look at the first records in two queries, which take far less than a second."""
        return dict(firsts(self._log, places))

    def reader(self, subscribing: Subscribing) -> Reader:
        """Make a reader, and the streams that its source names if they are missing."""
        for stream, partitions in named_streams(subscribing.source, self._partitions).items():
            self._log.create(stream, partitions)
        return LocalReader(self._log, subscribing.limit, self._wait, self._clock)

    def publish(
        self,
        destination: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Mapping[str, bytes] | None = None,
    ) -> Published:
        """Store one record in the stream `destination`, which is made if it is missing.

        A key always leads to the same partition; without one the partitions take turns. Inside a
        transaction the record is part of it: seen after the commit, gone after a rollback, and other
        writers to its partition wait until then. Two transactions that publish to the same partitions
        in different orders can block each other; the database then ends one of them with an error.
        """
        return self._publisher.publish(destination, [Entry(value, key, headers or {})])[0]

    def publish_many(
        self, destination: str, records: Iterable[tuple[bytes | None, bytes | None]]
    ) -> list[Published]:
        """Store pairs of key and value, all or none, with a few queries; otherwise as `publish`."""
        return self._publisher.publish(destination, [Entry(value, key) for key, value in records])

    def trim(self, shard: Shard, before: int) -> None:
        """Delete the records before an offset, as retention does; nothing happens if the shard is gone."""
        if partition := self._log.partitions([shard.stream]).get(shard):
            self._log.trim(partition, before)

    def delete_stream(self, name: str) -> None:
        """Delete a stream with its records; one that is made again is another incarnation."""
        self._log.delete(name)

    def close(self) -> None:
        """Do nothing: database connections belong to the threads that use them."""
