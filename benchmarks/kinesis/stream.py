"""The streams that all sides read: made, filled, and deleted in the end."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.kinesis.client import client
from benchmarks.records import value

SHARDS = 4
BATCH = 500


class Stream:
    """One stream of a service that refuses nothing, as moto doesn't."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._client = client()
        self._hash_keys: list[str] = []
        self._filled = 0

    def make(self) -> None:
        """Make it, with four shards."""
        self._client.create_stream(StreamName=self.name, ShardCount=SHARDS)
        self._client.get_waiter("stream_exists").wait(StreamName=self.name, WaiterConfig={"Delay": 1})
        shards = self._client.list_shards(StreamName=self.name)["Shards"]
        self._hash_keys = [shard["HashKeyRange"]["StartingHashKey"] for shard in shards]

    def fill(self, records: int) -> None:
        """Add so many records, spread evenly over the shards."""
        numbers = range(self._filled, self._filled + records)
        for first in numbers[::BATCH]:
            self._put(numbers[first - self._filled :][:BATCH])
        self._filled += records

    def delete(self) -> None:
        """Delete it."""
        self._client.delete_stream(StreamName=self.name)

    def _put(self, numbers: Iterable[int]) -> None:
        answer = self._client.put_records(StreamName=self.name, Records=[*map(self._record, numbers)])
        if answer["FailedRecordCount"]:
            raise RuntimeError(f"{answer['FailedRecordCount']} records were refused.")

    def _record(self, number: int) -> dict[str, Any]:
        hash_key = self._hash_keys[number % SHARDS]
        return {"Data": value(number), "PartitionKey": str(number), "ExplicitHashKey": hash_key}


@contextmanager
def stream(name: str, records: int) -> Iterator[Stream]:
    """Yield a stream with so many records; it is deleted afterwards."""
    made = Stream(name)
    made.make()
    try:
        made.fill(records)
        yield made
    finally:
        made.delete()
