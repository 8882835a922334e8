"""Reads back what was published."""

import time
from collections.abc import Mapping

from streamapp.brokers.base import Broker, Subscribing
from streamapp.brokers.reading import Polled, Reader
from streamapp.engine.watermark import Watermark
from streamapp.positions import Moment
from streamapp.records import Record, Shard
from streamapp.testing.progress import Unfinished

READ_SECONDS = 30.0
POLL_SECONDS = 0.05


def read_published(broker: Broker, destination: str, since: Moment) -> list[Record]:
    """Return the records of a stream from a moment on, by shard and position.

    Blocks for up to 30 seconds, then raises Unfinished.
    """
    source = broker.whole(destination)
    if not (shards := broker.shards(source)):
        return []
    places = broker.resolve(since, shards)
    reader = broker.reader(Subscribing(f"published {destination}", source, "streamapp-testing"))
    try:
        reader.open(places)
        records = _read(broker, reader, {shard: Watermark(place) for shard, place in places.items()})
    finally:
        reader.close()
    return sorted(records, key=lambda record: (record.shard, record.position))


def _read(broker: Broker, reader: Reader, marks: Mapping[Shard, Watermark]) -> list[Record]:
    """Read to the ends that the shards have now."""
    looked = time.monotonic()
    bounds = broker.bounds(list(marks))
    records: list[Record] = []
    while behind := [shard for shard in bounds if not marks[shard].is_past(bounds[shard], looked)]:
        if time.monotonic() >= looked + READ_SECONDS:
            names = ", ".join(map(str, behind))
            raise Unfinished(f"These shards could not be read to their ends in {READ_SECONDS:g} s: {names}.")
        records += _taken(reader.poll(POLL_SECONDS), marks)
    return records


def _taken(polled: Polled, marks: Mapping[Shard, Watermark]) -> list[Record]:
    for chunk in polled.chunks:
        marks[chunk.shard].reach(chunk.end)
    for shard, end in polled.ends.items():
        marks[shard].reach(end, polled.asked.get(shard))
    return [chunk.record(index) for chunk in polled.chunks for index in range(len(chunk))]
