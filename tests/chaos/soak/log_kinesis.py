"""The stream of a soak on kinesis-local, written and read with boto3 alone."""

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

import boto3

from streamapp.brokers.kinesis import packing
from streamapp.positions import SHARD_END
from tests.chaos.soak.history import Place

SHARDS = 4


class KinesisLog:
    """A stream whose shards are split and merged; the emulator keeps every record."""

    def __init__(self, endpoint: str) -> None:
        self.topic = f"soak-{uuid.uuid4().hex[:8]}"
        self.source = {"stream": self.topic, "poll_interval": 0.2}
        keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any", "region_name": "us-east-1"}
        options = {"endpoint_url": endpoint, **keys}
        self.backend = {"BACKEND": "streamapp.brokers.kinesis.KinesisBroker", "OPTIONS": options}
        # One client a thread: the traffic writes while the storm splits and merges.
        self._writing, self._client = (boto3.session.Session().client("kinesis", **options) for _ in range(2))
        self._stored = 0
        self._ends: dict[str, int] = {}

    def make(self) -> None:
        """Create the stream."""
        self._client.create_stream(StreamName=self.topic, ShardCount=SHARDS)
        self._settle()

    def write(self, numbers: range, keys: int) -> None:
        """Put numbered records, those again that were refused."""
        entries = [{"Data": json.dumps(n).encode(), "PartitionKey": str(n % keys)} for n in numbers]
        while entries:
            answer = self._writing.put_records(StreamName=self.topic, Records=entries)
            failed = [e for e, said in zip(entries, answer["Records"], strict=True) if "ErrorCode" in said]
            self._stored += len(entries) - len(failed)
            entries = failed

    def flush(self) -> int:
        """Return how many records were stored."""
        return self._stored

    def ends(self) -> dict[str, int]:
        """Return the ends as they are at the first call, after the last record and the last split."""
        if not self._ends:
            closed = {shard["ShardId"] for shard in self._shards() if _is_closed(shard)}
            records = {shard: _end(places) for shard, places in self.read().items()}
            self._ends = {**records, **dict.fromkeys(closed, SHARD_END)}
        return self._ends

    def read(self) -> dict[str, list[Place]]:
        """Return every record of the stream, by shard and in order."""
        return {shard["ShardId"]: list(self._records(shard["ShardId"])) for shard in self._shards()}

    def parents(self) -> dict[str, list[str]]:
        """Return of which shards each has come."""
        names = ("ParentShardId", "AdjacentParentShardId")
        return {s["ShardId"]: [s[name] for name in names if s.get(name)] for s in self._shards()}

    def open_shards(self) -> list[dict[str, Any]]:
        """Return the shards that take records, neighbours side by side."""
        open_ones = [shard for shard in self._shards() if not _is_closed(shard)]
        return sorted(open_ones, key=lambda shard: int(shard["HashKeyRange"]["StartingHashKey"]))

    def split(self, shard: dict[str, Any]) -> None:
        """Split a shard in the middle."""
        hashes = shard["HashKeyRange"]
        middle = (int(hashes["StartingHashKey"]) + int(hashes["EndingHashKey"])) // 2 + 1
        self._client.split_shard(
            StreamName=self.topic, ShardToSplit=shard["ShardId"], NewStartingHashKey=str(middle)
        )
        self._settle()

    def merge(self, one: dict[str, Any], other: dict[str, Any]) -> None:
        """Merge two neighbours."""
        shards = {"ShardToMerge": one["ShardId"], "AdjacentShardToMerge": other["ShardId"]}
        self._client.merge_shards(StreamName=self.topic, **shards)
        self._settle()

    def _shards(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._client.list_shards(StreamName=self.topic)["Shards"]
        return found

    def _records(self, shard: str) -> Iterator[Place]:
        first = self._client.get_shard_iterator(
            StreamName=self.topic, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
        )
        iterator = first["ShardIterator"]
        while iterator:
            page = self._client.get_records(ShardIterator=iterator, Limit=10_000)
            for record in page["Records"]:
                position = packing.at(int(record["SequenceNumber"]))
                yield Place(position, int(record["Data"]), record["PartitionKey"])
            at_the_tip = not page["Records"] and not page.get("MillisBehindLatest")
            iterator = None if at_the_tip else page.get("NextShardIterator")

    def _settle(self) -> None:
        while self._status() != "ACTIVE":
            time.sleep(0.02)

    def _status(self) -> str:
        summary = self._client.describe_stream_summary(StreamName=self.topic)
        status: str = summary["StreamDescriptionSummary"]["StreamStatus"]
        return status


def _is_closed(shard: dict[str, Any]) -> bool:
    return bool(shard["SequenceNumberRange"].get("EndingSequenceNumber"))


def _end(places: list[Place]) -> int:
    return packing.after(places[-1].position) if places else 0
