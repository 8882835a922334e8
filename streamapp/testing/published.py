"""Reads back what was published."""

import time

from streamapp.brokers.base import Broker, Polled, Subscribing
from streamapp.brokers.kafka.sources import KafkaPartitions
from streamapp.positions import Moment
from streamapp.records import Record, Shard
from streamapp.testing.progress import Unfinished

READ_SECONDS = 30.0
POLL_SECONDS = 0.05


def read_published(broker: Broker, destination: str, since: Moment) -> list[Record]:
    """Return the records of a stream from a moment on, by shard and position.

    Blocks for up to 30 seconds, then raises Unfinished.
    """
    source = KafkaPartitions(destination)
    if not (shards := broker.shards(source)):
        return []
    places = broker.resolve(since, shards)
    ends = {shard: bounds.end for shard, bounds in broker.bounds(shards).items()}
    reader = broker.reader(Subscribing(f"published {destination}", source, "streamapp-testing"))
    try:
        reader.open(places)
        records: list[Record] = []
        deadline = time.monotonic() + READ_SECONDS
        while any(places[shard] < end for shard, end in ends.items()):
            if time.monotonic() >= deadline:
                raise Unfinished(f"{destination} could not be read to its end: {places} of {ends}.")
            records += _taken(reader.poll(POLL_SECONDS), places)
    finally:
        reader.close()
    return sorted(records, key=lambda record: (record.shard, record.position))


def _taken(polled: Polled, places: dict[Shard, int]) -> list[Record]:
    places.update({chunk.shard: chunk.end for chunk in polled.chunks})
    places.update(polled.ends)
    return [chunk.record(index) for chunk in polled.chunks for index in range(len(chunk))]
