"""Looks at records of the local log."""

from contextlib import closing
from typing import TYPE_CHECKING

from streamapp.brokers.local.chunk import LocalChunk
from streamapp.brokers.looking import Gathering, Limits, Peeked, Stop, gone
from streamapp.records import Shard

if TYPE_CHECKING:
    from streamapp.brokers.local.log import Log


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
