"""Streams of kinesis-local, whose records are named by their places in their shards as those of a topic.

Records can't be written in the past, logs can't be trimmed, and shards come of splits and merges only.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from streamapp.brokers.base import Source
from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.sources import KinesisStream
from streamapp.positions import EPOCH, SHARD_END, At, Moment, Position, parse
from streamapp.records import Shard
from tests.contract.broker.benches import kinesis_options
from tests.contract.broker.streams import Streams
from tests.contract.moving.logs import Log, wait_for

MILLISECOND = timedelta(milliseconds=1)


class Place(NamedTuple):
    """A shard, and a hash key that leads to it."""

    shard: Shard
    hash_key: str


class KinesisLog(Log):
    impossible = (-1, 10**130)

    def __init__(self) -> None:
        from streamapp.brokers.kinesis import KinesisBroker

        super().__init__()
        self.broker: KinesisBroker = KinesisBroker("kinesis", kinesis_options("KINESIS_ENDPOINT_URL"))
        self.client = self.broker.clients.asking()
        self.streams = Streams(self.client, "moving")
        self.positions: defaultdict[Shard, list[int]] = defaultdict(list)
        self.known: dict[str, list[Place]] = {}
        self.moments: defaultdict[Shard, list[int]] = defaultdict(list)

    def topic(self, partitions: int = 1, name: str = "", filled: int = 0) -> str:
        if self.shards(name) if name else None:
            pytest.skip("shards of Kinesis come of splits and merges: tests/contract/resharding")
        topic = super().topic(partitions, name or self.streams.take(partitions), filled)
        self.filled_at = datetime.now(UTC) + MILLISECOND
        return topic

    @property
    def moment(self) -> str:
        return self.filled_at.isoformat(timespec="milliseconds")

    def source(self, topic: str) -> Source:
        return KinesisStream(topic, poll_interval=0.2)

    def shard_id(self, partition: str | int) -> str:
        return f"shardId-{int(partition):012d}"

    def number(self, shard_id: str) -> str:
        return str(int(shard_id.removeprefix("shardId-")))

    def position(self, text: str, topic: str) -> Position:
        if text == "-1h":
            pytest.skip("records of Kinesis can't be written in the past")
        position = parse(text)
        if not isinstance(position, At) or position.stream not in (None, topic):
            return position
        shards = [place.shard for place in self._places(topic)]
        shard = next((each for each in shards if self.number(each.id) == position.shard), None)
        number = self._sequence(shard, position.number) if shard else position.number
        return At(self.shard_id(position.shard), number, position.stream)

    def place(self, shard: Shard, position: int) -> int:
        positions, meaning = self.positions[shard], position != SHARD_END and packing.unpack(position)
        if isinstance(meaning, Moment):
            return bisect_right(self.moments[shard], meaning.milliseconds)
        return bisect_left(positions, position)

    def end(self, topic: str, partition: int = 0) -> int:
        return len(self.positions[self._places(topic)[partition].shard])

    def make(self, topic: str, partitions: int) -> None:
        if not self.shards(topic):
            self.streams.make(topic, partitions)

    def delete(self, topic: str) -> None:
        self.streams.delete(topic)
        del self.known[topic]
        wait_for(lambda: not self.shards(topic), lambda: f"{topic} is gone")

    def trim(self, topic: str, before: int, partition: int = 0) -> None:
        pytest.skip("kinesis-local trims nothing: tests/live/test_kinesis_trimming.py")

    def write(
        self, topic: str, values: Iterable[str], partition: int = 0, at: datetime | None = None
    ) -> None:
        shard, hash_key = self._places(topic)[partition]
        entry = {"PartitionKey": "any", "ExplicitHashKey": hash_key}
        records = [{"Data": value.encode(), **entry} for value in values]
        if not records:
            return
        answer = self.client.put_records(StreamName=topic, Records=records)
        assert answer["FailedRecordCount"] == 0
        told = [packing.at(int(record["SequenceNumber"])) for record in answer["Records"]]
        self.positions[shard] += told
        self.moments[shard] += [(datetime.now(UTC) - EPOCH) // MILLISECOND] * len(told)

    def close(self) -> None:
        self.streams.close()
        self.broker.close()

    def _sequence(self, shard: Shard, number: int) -> int:
        """Return the sequence number of a record, or one that no record will ever have."""
        positions = self.positions[shard]
        position = positions[number] if number < len(positions) else positions[-1] + 10**30
        place = packing.unpack(position)
        assert isinstance(place, packing.Place)
        return place.sequence

    def _places(self, topic: str) -> list[Place]:
        """Return where to write into each shard; asked once, because nothing here splits a shard."""
        if topic not in self.known:
            listed = self.client.list_shards(StreamName=topic)["Shards"]
            hash_keys = {one["ShardId"]: one["HashKeyRange"]["StartingHashKey"] for one in listed}
            self.known[topic] = [Place(shard, hash_keys[shard.id]) for shard in self.shards(topic)]
        return self.known[topic]
