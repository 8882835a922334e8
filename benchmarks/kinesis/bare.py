"""The baseline in a process of its own: boto3 in a loop, one thread a shard, and nothing else."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from benchmarks import tally
from benchmarks.kinesis.client import client
from benchmarks.run import Result
from benchmarks.tally import Entry, handle

LIMIT = 10_000
ONE_AT_A_TIME = threading.Lock()
"""The count is of all threads; a whole page is handled under it, which costs nothing in Python."""


def consume(kinesis: Any, shard: str) -> None:
    """Read a shard until all records of the stream are handled."""
    decoder = msgspec.json.Decoder(Entry)
    asked = {"StreamName": tally.run.stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = kinesis.get_shard_iterator(**asked)["ShardIterator"]
    behind = True
    while behind:
        answer = kinesis.get_records(ShardIterator=iterator, Limit=LIMIT)
        iterator, behind = answer["NextShardIterator"], bool(answer["MillisBehindLatest"])
        with ONE_AT_A_TIME:
            for record in answer["Records"]:
                handle(decoder.decode(record["Data"]))


def main() -> None:
    """Read the stream once."""
    tally.clock_of_processor = time.process_time
    kinesis = client()
    shards = [shard["ShardId"] for shard in kinesis.list_shards(StreamName=tally.run.stream)["Shards"]]
    tally.begin()
    with ThreadPoolExecutor(len(shards)) as threads:
        list(threads.map(lambda shard: consume(kinesis, shard), shards))
    Result(tally.moments, []).say()


if __name__ == "__main__":
    main()
