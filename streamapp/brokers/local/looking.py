"""Looks at records of the local log."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from streamapp.brokers.local.chunk import LocalChunk
from streamapp.brokers.looking import FIRST_SIZE, Gathering, Limits, Peeked, Stop, gone
from streamapp.records import Shard

if TYPE_CHECKING:
    from streamapp.brokers.local.log import Log

ONE = Limits(1, FIRST_SIZE, 1.0)


def peek(log: "Log", shard: Shard, position: int, limits: Limits) -> Peeked:
    """Return the records from a position on, one row at a time."""
    partition = log.partition(shard)
    if partition is None:
        raise gone(shard)
    gathering = Gathering(min(max(position, partition.first), partition.end), limits)
    with closing(log.walk(partition, gathering.begin)) as rows:
        for row in rows:
            chunk = LocalChunk(shard, [row])
            gathering.add(chunk.record(0), chunk.end)
            if stop := gathering.stop:
                return gathering.peeked(stop)
    return gathering.peeked(Stop.END)


def firsts(log: "Log", places: Mapping[Shard, int]) -> Iterator[tuple[Shard, Peeked]]:
    """Yield what stands first from each place on: offsets are dense, so it is exactly there or nowhere."""
    found = log.some(places)
    begins = {part: min(max(places[shard], part.first), part.end) for shard, part in found.items()}
    rows = log.at(begins)
    for shard, part in found.items():
        gathering = Gathering(begins[part], ONE)
        if row := rows.get(part.id):
            chunk = LocalChunk(shard, [row])
            gathering.add(chunk.record(0), chunk.end)
        yield shard, gathering.peeked(Stop.RECORDS if row else Stop.END)
