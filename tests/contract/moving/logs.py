"""Logs in which a test writes what it likes, into which partition and at which time it likes."""

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

import pytest

from streamapp.brokers.base import Broker, Source
from streamapp.brokers.kafka.sources import KafkaTopic
from streamapp.exceptions import BrokerUnavailable
from streamapp.positions import Position, parse
from streamapp.records import Shard

PATIENCE_SECONDS = 30.0
TOPICS = pytest.mark.parametrize(
    "log", ["local", pytest.param("kafka", marks=pytest.mark.live("kafka"))], indirect=True
)
"""For what only topics have: subscriptions to several, and records written in the past."""


def wait_for(condition: Callable[[], object], what: Callable[[], str]) -> None:
    """Ask again and again until the condition holds; asking may itself do the work."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"This never came true: {what()}"


class Log(ABC):
    """A broker, with the topics of one test. `now` is the time that `-7d` counts from."""

    broker: Broker
    impossible = (-1, 2**63)
    """Numbers that no record can have; -1 is the end to Kafka's client."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC).replace(microsecond=0)

    def topic(self, partitions: int = 1, name: str = "", filled: int = 0) -> str:
        """Make a topic with so many records in each partition, written yesterday."""
        name = name or new_name()
        self.make(name, partitions)
        wait_for(lambda: self._serves(name, partitions), lambda: f"{name} is there")
        for partition in range(partitions):
            self.fill(name, filled, partition, at=self.now - timedelta(days=1))
        return name

    def fill(self, topic: str, records: int, partition: int = 0, at: datetime | None = None) -> None:
        """Add records whose values name their places: `1@7`."""
        first = self.end(topic, partition)
        self.write(topic, [f"{partition}@{first + number}" for number in range(records)], partition, at)

    @property
    def moment(self) -> str:
        """A moment between the records that `topic` wrote and those that came later."""
        return (self.now - timedelta(hours=1)).isoformat()

    def source(self, topic: str) -> Source:
        """The source of a subscription, as a project writes it."""
        return KafkaTopic(topic)

    def shard_id(self, partition: str | int) -> str:
        return str(partition)

    def number(self, shard_id: str) -> str:
        """The opposite of `shard_id`."""
        return shard_id

    def position(self, text: str, topic: str) -> Position:
        """Read a position in which shards and records of the topic have numbers from 0 on."""
        return parse(text)

    def place(self, shard: Shard, position: int) -> int:
        """Return how many records lie in front of a stored position."""
        return position

    def shards(self, topic: str) -> list[Shard]:
        return self.broker.shards(self.broker.whole(topic))

    def end(self, topic: str, partition: int = 0) -> int:
        shard = self.shards(topic)[partition]
        return self.broker.bounds([shard])[shard].end

    def _serves(self, topic: str, partitions: int) -> bool:
        """Tell whether all partitions answer; a new topic has no leaders at first."""
        try:
            return len(self.broker.bounds(self.shards(topic))) == partitions
        except BrokerUnavailable:
            return False

    @abstractmethod
    def make(self, topic: str, partitions: int) -> None:
        """Make a topic, or give it more partitions."""

    @abstractmethod
    def delete(self, topic: str) -> None: ...

    @abstractmethod
    def trim(self, topic: str, before: int, partition: int = 0) -> None:
        """Delete the records before an offset, as retention does."""

    @abstractmethod
    def write(
        self, topic: str, values: Iterable[str], partition: int = 0, at: datetime | None = None
    ) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


def new_name() -> str:
    return f"moving-{uuid.uuid4().hex[:12]}"
