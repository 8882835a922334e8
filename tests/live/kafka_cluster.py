"""What the Kafka tests do to a cluster, and what they see through a reader."""

import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any, Self

from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from streamapp.brokers.base import Source, Subscribing
from streamapp.brokers.kafka import KafkaBroker, KafkaTopic
from streamapp.brokers.reading import Assigned, Event, Polled, Reader
from streamapp.records import Record, Shard

PROTOCOLS: dict[str, dict[str, Any]] = {
    "cooperative": {"partition.assignment.strategy": "cooperative-sticky"},
    "eager": {"partition.assignment.strategy": "range"},
    "consumer": {"group.protocol": "consumer"},
}


class Cluster:
    """A cluster in which everything that a test made is gone afterwards."""

    def __init__(self, servers: str) -> None:
        self.servers = servers
        self.broker = KafkaBroker("kafka", {"bootstrap.servers": servers})
        self._admin = AdminClient({"bootstrap.servers": servers})
        self._producer = Producer({"bootstrap.servers": servers})
        self._topics: set[str] = set()
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()
        self.broker.close()
        if self._topics:
            for future in self._admin.delete_topics(sorted(self._topics)).values():
                future.exception(10)

    def name(self) -> str:
        return f"test-{uuid.uuid4().hex[:12]}"

    def topic(self, partitions: int = 1, name: str = "", **config: str) -> str:
        name = name or self.name()
        options = {key.replace("_", "."): value for key, value in config.items()}
        self._admin.create_topics([NewTopic(name, partitions, 1, config=options)])[name].result(10)
        self._topics.add(name)
        wait(lambda: self.broker.shards(KafkaTopic(name)))
        return name

    def delete(self, topic: str) -> None:
        self._topics.discard(topic)
        self._admin.delete_topics([topic])[topic].result(10)

    def recreate(self, topic: str, partitions: int = 1) -> None:
        """Delete a topic and make it again at once."""
        self.delete(topic)
        wait(lambda: self._recreated(topic, partitions))

    def _recreated(self, topic: str, partitions: int) -> bool:
        try:
            self.topic(partitions, topic)
        except KafkaException:
            return False
        return True

    def grow(self, topic: str, partitions: int) -> None:
        self._admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(10)

    def trim(self, topic: str, partition: int, first: int) -> None:
        """Delete the records before an offset."""
        place = TopicPartition(topic, partition, first)
        self._admin.delete_records([place])[place].result(10)

    def write(self, topic: str, values: Iterable[object], partition: int = 0, **options: Any) -> None:
        for value in values:
            self._producer.produce(topic, str(value).encode(), partition=partition, **options)
        assert self._producer.flush(10) == 0

    def transaction(self, topic: str, values: Iterable[object], *, commit: bool) -> None:
        producer = Producer({"bootstrap.servers": self.servers, "transactional.id": self.name()})
        producer.init_transactions(10)
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, str(value).encode(), partition=0)
        assert producer.flush(10) == 0
        producer.commit_transaction(10) if commit else producer.abort_transaction(10)

    def watch(
        self, source: Source, group: str = "", limit: int = 500, client: Mapping[str, Any] | None = None
    ) -> "Watched":
        """Start a reader that is closed at the end of the test."""
        broker = KafkaBroker("kafka", {"bootstrap.servers": self.servers, **(client or {})})
        return self.watching(broker.reader(Subscribing("test", source, group or self.name(), limit)))

    def watching(self, reader: Reader) -> "Watched":
        """Watch a reader that is closed at the end of the test."""
        watched = Watched(reader)
        self._closing.callback(watched.close)
        return watched


class Watched:
    """A reader, and all that it has told."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.events: list[Event] = []
        self.records: list[Record] = []
        self.ends: dict[Shard, int] = {}
        self._closed = False

    def poll(self, timeout: float = 0.1) -> Polled:
        polled = self.reader.poll(timeout)
        self.events += polled.events
        self.records += [chunk.record(index) for chunk in polled.chunks for index in range(len(chunk))]
        self.ends.update(polled.ends)
        return polled

    def until(self, condition: Callable[[], object], seconds: float = 25) -> None:
        """Poll until something holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"not in time; told: {self.events}, {self.ends}"
            self.poll()

    def settle(self, seconds: float = 1.5) -> None:
        """Poll long enough for anything that is coming."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.poll()

    def assigned(self) -> list[Shard]:
        """Wait for an assignment and return all shards that were ever given."""
        self.until(lambda: any(isinstance(event, Assigned) for event in self.events))
        return self.told(Assigned)

    def told(self, kind: type[Any]) -> list[Shard]:
        return sorted(shard for event in self.events if isinstance(event, kind) for shard in event.shards)

    def positions(self, shard: Shard | None = None) -> list[int]:
        return [record.position for record in self.records if shard in (None, record.shard)]

    def forget(self) -> None:
        self.events.clear()
        self.records.clear()
        self.ends.clear()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.reader.close()


def wait(condition: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)
