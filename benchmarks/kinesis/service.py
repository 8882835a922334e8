"""Kinesis as far as reading needs it, inside this process: it answers before a request is sent."""

import time
from collections import Counter
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from benchmarks.records import value

SHARDS = 1000
ANSWER_SECONDS = 0.005
CREATED = datetime(2026, 1, 1, tzinfo=UTC)


class Service:
    """A stream of a thousand shards, each with its part of so many records."""

    def __init__(self, records: int) -> None:
        self._each = records // SHARDS
        self._reads: Counter[str] = Counter()
        self._shards = [
            {"ShardId": f"shardId-{n:012}", "SequenceNumberRange": {"StartingSequenceNumber": "0"}}
            for n in range(SHARDS)
        ]

    def reads(self) -> Counter[str]:
        """Return how often each shard was read."""
        return self._reads.copy()

    def answer(self, client: Any) -> None:
        """Answer everything that this client asks."""
        client.meta.events.register("provide-client-params.kinesis", self._remember)
        client.meta.events.register("before-call.kinesis", self._answer)

    def _remember(self, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["asked"] = params

    def _answer(self, model: Any, context: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
        time.sleep(ANSWER_SECONDS)
        said = ANSWERS[model.name](self, context["asked"])
        return SimpleNamespace(status_code=200, headers={}), {**said, "ResponseMetadata": {}}

    def _list_shards(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"Shards": self._shards}

    def _describe(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"StreamDescriptionSummary": {"StreamCreationTimestamp": CREATED}}

    def _iterator(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"ShardIterator": f"{asked['ShardId']} 0"}

    def _records(self, asked: dict[str, Any]) -> dict[str, Any]:
        shard, first = asked["ShardIterator"].split()
        self._reads[shard] += 1
        end = min(int(first) + asked["Limit"], self._each)
        return {
            "Records": [self._record(number) for number in range(int(first), end)],
            "NextShardIterator": f"{shard} {end}",
            "MillisBehindLatest": (self._each - end) * 1000,
        }

    def _record(self, number: int) -> dict[str, Any]:
        arrived = {"ApproximateArrivalTimestamp": datetime.now(UTC)}
        return {"SequenceNumber": str(number + 1), "Data": value(number), "PartitionKey": "key", **arrived}


ANSWERS = {
    "ListShards": Service._list_shards,
    "DescribeStreamSummary": Service._describe,
    "GetShardIterator": Service._iterator,
    "GetRecords": Service._records,
}
