"""Streams of an emulator for one test module, and a reader with all that it brings."""

import time
import uuid
from collections.abc import Callable, Sequence

from streamapp.brokers.base import Subscribing
from streamapp.brokers.kinesis import KinesisBroker, KinesisStream
from streamapp.brokers.reading import Event
from streamapp.records import Record, Shard
from tests.contract.broker.benches import kinesis_options, wait_for


class Service:
    """A broker on an emulator, with streams that are deleted afterwards."""

    def __init__(self, variable: str) -> None:
        self.broker = KinesisBroker("kinesis", kinesis_options(variable))
        self.client = self.broker.clients.asking()
        self.made: list[str] = []

    def stream(self, shards: int = 1) -> KinesisStream:
        name = f"live-{uuid.uuid4().hex[:12]}"
        self.client.create_stream(StreamName=name, ShardCount=shards)
        self.made.append(name)
        self.wait_until_active(name)
        return KinesisStream(name, poll_interval=0.2)

    def wait_until_active(self, stream: str) -> None:
        def is_active() -> bool:
            answer = self.client.describe_stream_summary(StreamName=stream)
            return answer["StreamDescriptionSummary"]["StreamStatus"] == "ACTIVE"

        wait_for(is_active, f"{stream} is active")

    def split(self, shard: Shard) -> None:
        at = {"ShardToSplit": shard.id, "NewStartingHashKey": str(self._middle(shard))}
        self.client.split_shard(StreamName=shard.stream, **at)
        self.wait_until_active(shard.stream)

    def merge(self, one: Shard, other: Shard) -> None:
        shards = {"ShardToMerge": one.id, "AdjacentShardToMerge": other.id}
        self.client.merge_shards(StreamName=one.stream, **shards)
        self.wait_until_active(one.stream)

    def reading(self, source: KinesisStream, limit: int = 500) -> "Reading":
        return Reading(self.broker.reader(Subscribing("live", source, "live", limit)))

    def close(self) -> None:
        for stream in self.made:
            self.client.delete_stream(StreamName=stream)
        self.broker.close()

    def _middle(self, shard: Shard) -> int:
        listed = self.client.list_shards(StreamName=shard.stream)["Shards"]
        hashes = next(entry["HashKeyRange"] for entry in listed if entry["ShardId"] == shard.id)
        return (int(hashes["StartingHashKey"]) + int(hashes["EndingHashKey"])) // 2 + 1


class Reading:
    """A reader with all that it has brought."""

    def __init__(self, reader) -> None:
        self.reader = reader
        self.records: list[Record] = []
        self.events: list[Event] = []
        self.ends: dict[Shard, int] = {}

    def poll(self) -> None:
        polled = self.reader.poll(0.2)
        self.records += [chunk.record(index) for chunk in polled.chunks for index in range(len(chunk))]
        self.events += polled.events
        self.ends |= polled.ends

    def until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < deadline, f"This never came true: {what}; {self.events}, {self.ends}"
            self.poll()

    def values(self, count: int) -> Sequence[bytes | None]:
        """Return the next records, and forget them."""
        self.until(lambda: len(self.records) >= count, f"{count} records")
        taken, self.records = self.records, []
        return [record.value for record in taken]
