"""Amazon Kinesis behind the broker contract."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from streamapp.brokers.base import Broker, Kept, Published, Source, Subscribing
from streamapp.brokers.kinesis import options as settings
from streamapp.brokers.kinesis import packing, resolving
from streamapp.brokers.kinesis.clients import Clients, Patience
from streamapp.brokers.kinesis.failures import Reports
from streamapp.brokers.kinesis.feed import Feed, Means
from streamapp.brokers.kinesis.looking import Looks
from streamapp.brokers.kinesis.moments import Moments
from streamapp.brokers.kinesis.pacing import Paces
from streamapp.brokers.kinesis.pool import Pool
from streamapp.brokers.kinesis.publisher import Outgoing, Place, Publisher
from streamapp.brokers.kinesis.queries import Queries
from streamapp.brokers.kinesis.reader import KinesisReader
from streamapp.brokers.kinesis.sources import KinesisStream
from streamapp.brokers.looking import Glance, Limits, Peeked
from streamapp.brokers.reading import Missing, Reader
from streamapp.positions import Position
from streamapp.records import Bounds, Shard

MOST_RECORDS, FEWEST_RECORDS = 10_000, 100
IMPATIENT = Patience(connect=2, read=3, attempts=1)
"""How long a look waits for the service: somebody waits for the look."""
AHEAD_RECORDS, AHEAD_BYTES = 100_000, 128 * 1024 * 1024
"""What all shards together may bring with one read each; two pages of a shard wait at most."""


class KinesisBroker(Broker):
    """Streams of one account and region. Clients and threads are made at their first use, in each process."""

    source_types = (KinesisStream,)

    def __init__(
        self,
        alias: str,
        options: Mapping[str, Any],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Keep the options. `clock` returns the aware time that tips and `-7d` are taken from."""
        super().__init__(alias, options)
        self._moments = Moments(clock)
        self.clients = Clients(options)
        self._queries = Queries(self.clients, self._moments)
        self._publisher = Publisher(self.clients)
        self._paces = Paces()
        self._reports = Reports(alias)
        self._hurried = Clients(options, IMPATIENT)
        self._looks = Looks(self._hurried, Queries(self._hurried, self._moments), self._paces)
        self._pools: dict[int, Pool] = {}

    @classmethod
    def option_problems(cls, options: Mapping[str, Any]) -> Iterable[str]:
        """Yield unknown options, half a pair of keys, and a number of threads that is none."""
        return settings.option_problems(options)

    def position_problem(self, position: Position) -> str | None:
        """Say why a position can't be one of Kinesis, or None."""
        return resolving.position_problem(position)

    def whole(self, stream: str) -> Source:
        """Return the stream, which is named or given by its ARN."""
        return KinesisStream(stream)

    def shards(self, source: Source) -> list[Shard]:
        """Return all shards that the stream keeps, closed ones too, by id."""
        return [listed.shard for listed in self._queries.listed(source.streams()[0])]

    def lineage(self, source: Source, max_age: float = 0.0) -> dict[Shard, tuple[Shard, ...]]:
        """Return all shards with what they were split or merged from, as far as the stream keeps it."""
        listed = self._queries.recent(source.streams()[0], max_age)
        shards = {entry.shard.id: entry.shard for entry in listed}
        return {
            entry.shard: tuple(shards[parent] for parent in entry.parents if parent in shards)
            for entry in listed
        }

    def resolve(self, position: Position, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Turn a position into numbers: the tip is the present moment, a record is exactly that record.

        No record is looked up: one that was trimmed is found out when it is read.
        """
        return resolving.resolve(position, shards, self._queries, self._moments)

    def bounds(self, shards: Sequence[Shard]) -> dict[Shard, Bounds]:
        """Return for each shard that is kept the oldest record, whichever that is, and the present moment."""
        asked = self._moments.local()
        existing = self._queries.existing(shards)
        end = packing.moment(self._moments.held_back(asked).milliseconds)
        return {shard: Bounds(packing.HORIZON, end, is_moment=True) for shard in existing}

    def kept(self, shards: Sequence[Shard]) -> dict[Shard, Kept]:
        """Return how long the streams keep records, in one question a stream."""
        streams = sorted({shard.stream for shard in shards})
        kept = {stream: self._kept(self._queries.retention(stream)) for stream in streams}
        return {shard: kept[shard.stream] for shard in shards}

    def _kept(self, seconds: float | None) -> Kept:
        if seconds is None:
            return Kept()
        since = self._moments.held_back(self._moments.local() - timedelta(seconds=seconds))
        return Kept(seconds=seconds, since=packing.moment(since.milliseconds))

    def peek(self, shard: Shard, position: int, limits: Limits) -> Peeked:
        """Look at records from a position on; takes a few of the reads that the shard gives a second."""
        return self._looks.peek(shard, position, limits)

    def firsts(self, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Glance]:
        """Look at the first records, several shards side by side; takes two calls of each, and one read."""
        return self._looks.firsts(places, seconds)

    def reader(self, subscribing: Subscribing) -> Reader:
        """Make a reader, and the stream if its source says so; else a missing stream is the first news."""
        source: Any = subscribing.source
        missing = not self._queries.listed(source.stream)
        if missing and source.create_if_missing:
            self._queries.create(source.stream, source.create_if_missing)
        news = [Missing(source.stream)] if missing and not source.create_if_missing else []
        pool = self._pool()
        means = Means(
            self.clients,
            self._queries,
            self._paces,
            self._reports,
            lambda size: records_a_read(len(pool.tasks), size),
        )

        def make_feed(shard: Shard, position: int, changed: threading.Condition) -> Feed:
            return Feed(shard, position, means, source.poll_interval, changed)

        return KinesisReader(subscribing.name, subscribing.limit, pool, make_feed, news)

    def publish(
        self,
        destination: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Mapping[str, bytes] | None = None,
        hash_key: int | None = None,
    ) -> Published:
        """Store one record in a stream, named or by ARN. The key is UTF-8; without one a shard is drawn.

        `hash_key` names the shard by its range instead. Raises PublishFailed when the record was refused
        or not confirmed, BrokerUnavailable when the service can't be reached.
        """
        place = self._publisher.publish(destination, Outgoing(value, key, headers, hash_key))
        return self._published(destination, place)

    def publish_many(
        self, destination: str, records: Iterable[tuple[bytes | None, bytes | None]]
    ) -> list[Published]:
        """Store pairs of key and value in batches; those refused for the moment are tried again.

        A record that is tried again comes behind later ones of its key. Raises as `publish`; others
        are stored by then.
        """
        outgoing = (Outgoing(value, key) for key, value in records)
        return [
            self._published(destination, place)
            for place in self._publisher.publish_many(destination, outgoing)
        ]

    def describe(self, position: int) -> str:
        """Write a position for people: `horizon`, a moment, a sequence number or `SHARD_END`."""
        return packing.describe(position)

    def read(self, text: str) -> int:
        """Return the number that `describe` has written, or that of a bare sequence number."""
        return packing.read(text)

    def records_between(self, first: int, end: int) -> int | None:  # noqa: ARG002
        """Return None: sequence numbers don't count records."""
        return None

    def is_before(self, position: int, other: int) -> bool | None:
        """Compare places of one kind, and with the ends; a record and a moment don't compare."""
        return packing.is_before(position, other)

    def close(self) -> None:
        """Free clients and threads of this process; safe to call twice."""
        if pool := self._pools.pop(os.getpid(), None):
            pool.close()
        self.clients.close()
        self._hurried.close()

    def _published(self, stream: str, place: Place) -> Published:
        shard, sequence = place
        return Published(Shard(stream, shard, self._queries.incarnation(stream)), packing.at(int(sequence)))

    def _pool(self) -> Pool:
        pid = os.getpid()
        if pid not in self._pools:
            self._pools[pid] = Pool(settings.threads(self.options))
        return self._pools[pid]


def records_a_read(shards: int, size: int) -> int:
    """Return how many records one read may bring, so that all that is read ahead stays bounded.

    `size` is how many bytes a record of the shard has by experience, or 0 before the first read.
    """
    shards = max(shards, 1)
    records = max(FEWEST_RECORDS, min(MOST_RECORDS, AHEAD_RECORDS // shards))
    return max(1, min(records, AHEAD_BYTES // shards // max(size, 1)))
