"""Apache Kafka behind the broker contract."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from streamapp.brokers.base import Broker, Kept, Published, Source, Subscribing
from streamapp.brokers.kafka import options as settings
from streamapp.brokers.kafka import resolving
from streamapp.brokers.kafka.group import GroupReader
from streamapp.brokers.kafka.looking import Looks
from streamapp.brokers.kafka.publisher import Publisher
from streamapp.brokers.kafka.queries import Queries
from streamapp.brokers.kafka.reader import PartitionReader
from streamapp.brokers.kafka.reports import Reports
from streamapp.brokers.kafka.sources import KafkaPartitions, KafkaTopic, KafkaTopics
from streamapp.brokers.looking import Glance, Limits, Peeked
from streamapp.brokers.reading import Reader
from streamapp.exceptions import BrokerUnavailable
from streamapp.observability.logs import Fields
from streamapp.positions import Position
from streamapp.records import Bounds, Shard

logger = logging.getLogger(__name__)


class KafkaBroker(Broker):
    """A Kafka cluster. OPTIONS go to the client library; every client is made at its first use."""

    source_types = (KafkaTopic, KafkaTopics, KafkaPartitions)

    def __init__(
        self,
        alias: str,
        options: Mapping[str, Any],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Keep the options. `clock` returns the aware time from which `-7d` counts."""
        super().__init__(alias, options)
        self._clock = clock
        self._reports = Reports(alias)
        self._queries = Queries(options, self._reports)
        self._looks = Looks(options, self._queries, self._reports)
        self._publisher = Publisher(options, self._reports)
        self._topic_ids: dict[str, str] = {}

    @classmethod
    def option_problems(cls, options: Mapping[str, Any]) -> Iterable[str]:
        """Yield missing servers, options that streamapp sets itself, and callbacks that can't be imported."""
        return settings.option_problems(options)

    def position_problem(self, position: Position) -> str | None:
        """Say why a position can't be one of Kafka, or None."""
        return resolving.position_problem(position)

    def whole(self, stream: str) -> Source:
        """Return all partitions of a topic."""
        return KafkaPartitions(stream)

    def shards(self, source: Source) -> list[Shard]:
        """Return the partitions the source has now, by topic and number."""
        found = self._queries.describe(self._topics(source))
        wanted = source.partitions if isinstance(source, KafkaPartitions) else None
        return [
            Shard(name, str(number), str(topic.topic_id))
            for name, topic in sorted(found.items())
            for number in sorted(partition.id for partition in topic.partitions)
            if wanted is None or number in wanted
        ]

    def resolve(self, position: Position, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Turn a position into offsets of those shards that it names."""
        return resolving.resolve(position, shards, self._queries, self._clock())

    def bounds(self, shards: Sequence[Shard]) -> dict[Shard, Bounds]:
        """Return what the logs keep; an end is the last stable offset unless uncommitted records are read."""
        existing = self._queries.existing(shards)
        firsts = self._queries.firsts(existing)
        ends = self._queries.ends(existing)
        return {
            shard: Bounds(firsts[shard], ends[shard])
            for shard in existing
            if shard in firsts and shard in ends
        }

    def kept(self, shards: Sequence[Shard]) -> dict[Shard, Kept]:
        """Return the bounds of the logs, and the time that their topics keep records, in four questions."""
        bounds = self.bounds(shards)
        seconds = self._queries.retentions({shard.stream for shard in bounds})
        return {
            shard: Kept(kept.first, kept.end, seconds.get(shard.stream)) for shard, kept in bounds.items()
        }

    def inherited(self, group: str, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Return the offsets that the group has committed."""
        return self._queries.committed(group, shards)

    def peek(self, shard: Shard, position: int, limits: Limits) -> Peeked:
        """Look at records from an offset on, with a client that joins no group and is closed afterwards."""
        return self._looks.peek(shard, position, limits)

    def firsts(self, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Glance]:
        """Look at the first records with one client for all partitions, and four questions before."""
        return dict(self._looks.firsts(places, seconds))

    def reader(self, subscribing: Subscribing) -> Reader:
        """Make a member of the group, or a reader without a group for KafkaPartitions."""
        source: Any = subscribing.source
        options = {**self.options, **source.client}
        kind = GroupReader if self.assigns(source) else PartitionReader
        return kind(options, subscribing, self._reports, self._queries)

    def assigns(self, source: Source) -> bool:
        """Tell that a consumer group assigns whatever isn't KafkaPartitions."""
        return not isinstance(source, KafkaPartitions)

    def publish(
        self,
        destination: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Mapping[str, bytes] | None = None,
    ) -> Published:
        """Store one record in a topic and return when all in-sync replicas have it, at most after 15 seconds.

        The shard carries no incarnation if the topic's id can't be told just now.
        """
        partition, offset = self._publisher.publish(destination, value, key, headers or {})
        return Published(Shard(destination, str(partition), self._incarnation(destination)), offset)

    def close(self) -> None:
        """Free the clients of this process; safe to call twice. Readers are closed by their owners."""
        self._publisher.close()
        self._queries.close()

    def _incarnation(self, topic: str) -> str:
        if topic not in self._topic_ids:
            try:
                self._topic_ids.update(self._queries.incarnations([topic]))
            except BrokerUnavailable:
                fields = Fields(broker=self.alias, stream=topic)
                logger.warning("Topic id unknown after a publish. %s", fields)
        return self._topic_ids.get(topic, "")

    def _topics(self, source: Source) -> Sequence[str]:
        names = source.streams()
        if not names[0].startswith("^"):
            return names
        return [topic for topic in self._queries.topics() if re.match(names[0], topic)]
