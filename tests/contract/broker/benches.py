"""What the contract tests need of a broker beyond its interface: streams of their own, and retention."""

import os
import time
import uuid
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from streamapp.brokers.base import Broker, Published, Source, Subscribing
from streamapp.brokers.kafka.sources import KafkaPartitions, KafkaTopic
from streamapp.brokers.kinesis.sources import KinesisStream
from streamapp.brokers.local import LocalBroker, LocalStream
from streamapp.brokers.reading import Reader
from streamapp.records import Shard
from tests.contract.broker.streams import Streams

PATIENCE_SECONDS = 30


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"This never came true: {what}"
        time.sleep(0.02)


class Bench(ABC):
    """A broker with the means to make, delete and trim streams."""

    broker: Broker
    stores_nulls = True
    """Whether a record can have no value and no key."""

    @abstractmethod
    def make(self, stream: str, partitions: int) -> None: ...

    @abstractmethod
    def delete(self, stream: str) -> None: ...

    @abstractmethod
    def trim(self, shard: Shard, before: int) -> None: ...

    def close(self) -> None:
        self.broker.close()

    def stream(self, partitions: int = 1) -> str:
        name = f"contract-{uuid.uuid4().hex[:12]}"
        self.remake(name, partitions)
        return name

    def remake(self, stream: str, partitions: int = 1) -> None:
        self.make(stream, partitions)
        wait_for(lambda: len(self.shards(stream)) == partitions, f"{stream} has {partitions} shards")

    def source(self, stream: str) -> Source:
        return KafkaPartitions(stream)

    def subscribed(self, stream: str) -> Source:
        """The source of a subscription, as a project writes it."""
        return KafkaTopic(stream)

    def place(self, position: int, published: Sequence[int]) -> int:
        """Return how many records of a shard lie in front of a position, of all that were published."""
        return position

    def shards(self, stream: str) -> list[Shard]:
        return self.broker.shards(self.source(stream))

    def beyond(self, position: int) -> int:
        """A place behind a record that no record will ever have."""
        return position + 7

    def shard(self) -> Shard:
        """A new stream with one shard."""
        return self.shards(self.stream())[0]

    def publish(self, shard: Shard, *values: bytes | None) -> list[Published]:
        """Publish to the stream of a shard, which has no other shard."""
        return [self.broker.publish(shard.stream, value) for value in values]

    def reader(self, stream: str, limit: int = 500) -> Reader:
        return self.broker.reader(Subscribing(f"reads-{stream}", self.source(stream), "contract", limit))


class LocalBench(Bench):
    def __init__(self) -> None:
        self.broker: LocalBroker = LocalBroker("local", {})

    def make(self, stream: str, partitions: int) -> None:
        self.broker.reader(Subscribing(stream, LocalStream(stream, partitions), "contract")).close()

    def delete(self, stream: str) -> None:
        self.broker.delete_stream(stream)

    def trim(self, shard: Shard, before: int) -> None:
        self.broker.trim(shard, before)


class KafkaBench(Bench):
    def __init__(self) -> None:
        from confluent_kafka.admin import AdminClient

        from streamapp.brokers.kafka import KafkaBroker

        options = {"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"]}
        self.admin = AdminClient(options)
        self.broker = KafkaBroker("kafka", options)
        self.made: set[str] = set()

    def make(self, stream: str, partitions: int) -> None:
        from confluent_kafka.admin import NewTopic

        self._done(self.admin.create_topics([NewTopic(stream, partitions)]))
        self.made.add(stream)

    def delete(self, stream: str) -> None:
        self._done(self.admin.delete_topics([stream]))
        self.made.discard(stream)
        wait_for(lambda: not self.shards(stream), f"{stream} is gone")

    def trim(self, shard: Shard, before: int) -> None:
        from confluent_kafka import TopicPartition

        self._done(self.admin.delete_records([TopicPartition(shard.stream, int(shard.id), before)]))

    def close(self) -> None:
        if self.made:
            self._done(self.admin.delete_topics(list(self.made)))
        super().close()

    def _done(self, futures: dict[Any, Any]) -> None:
        for future in futures.values():
            future.result(PATIENCE_SECONDS)


class KinesisBench(Bench):
    """kinesis-local: it trims nothing."""

    stores_nulls = False

    def __init__(self) -> None:
        from streamapp.brokers.kinesis import KinesisBroker

        self.broker: KinesisBroker = KinesisBroker("kinesis", kinesis_options("KINESIS_ENDPOINT_URL"))
        self.streams = Streams(self.broker.clients.asking(), "contract")

    def stream(self, partitions: int = 1) -> str:
        return self.streams.take(partitions)

    def make(self, stream: str, partitions: int) -> None:
        self.streams.make(stream, partitions)

    def delete(self, stream: str) -> None:
        self.streams.delete(stream)
        wait_for(lambda: not self.shards(stream), f"{stream} is gone")

    def trim(self, shard: Shard, before: int) -> None:
        pytest.skip("kinesis-local trims nothing; see tests/live/test_kinesis_trimming.py")

    def source(self, stream: str) -> Source:
        return KinesisStream(stream, poll_interval=0.2)

    def subscribed(self, stream: str) -> Source:
        return self.source(stream)

    def place(self, position: int, published: Sequence[int]) -> int:
        return bisect_left(published, position)

    def beyond(self, position: int) -> int:
        return position + 10**30

    def close(self) -> None:
        self.streams.close()
        super().close()


def kinesis_options(variable: str) -> dict[str, Any]:
    """The options of a broker on an emulator, which takes any credentials."""
    credentials = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    return {"endpoint_url": os.environ.get(variable), "region_name": "us-east-1", **credentials}
