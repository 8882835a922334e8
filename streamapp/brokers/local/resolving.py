"""Turns positions into offsets of the local log."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from streamapp.exceptions import InvalidPosition
from streamapp.positions import Ago, At, Earliest, Latest, Position
from streamapp.records import Shard

if TYPE_CHECKING:
    from streamapp.brokers.local.log import Log, Partition


def resolve(position: Position, shards: Sequence[Shard], log: "Log", now: datetime) -> dict[Shard, int]:
    """Return an offset for those of `shards` that the position names and that exist.

    The ends are read before a moment is looked up, so that a record that comes in between is never
    behind the offset. Raises InvalidPosition if the position names none of the shards, or two.
    """
    if isinstance(position, At):
        return {_named(position, shards): position.number}
    found = log.partitions({shard.stream for shard in shards})
    partitions = {shard: found[shard] for shard in shards if shard in found}
    if isinstance(position, Earliest):
        return {shard: partition.first for shard, partition in partitions.items()}
    if isinstance(position, Latest):
        return {shard: partition.end for shard, partition in partitions.items()}
    moment = position.moment(now) if isinstance(position, Ago) else position
    return _since(moment.milliseconds, partitions, log)


def _since(milliseconds: int, partitions: "Mapping[Shard, Partition]", log: "Log") -> dict[Shard, int]:
    firsts = log.firsts_since(partitions.values(), milliseconds)
    return {shard: firsts.get(partition.id, partition.end) for shard, partition in partitions.items()}


def _named(position: At, shards: Sequence[Shard]) -> Shard:
    named = [
        shard for shard in shards if shard.id == position.shard and position.stream in (None, shard.stream)
    ]
    if len(named) == 1:
        return named[0]
    if named:
        choices = " or ".join(f"{shard}@{position.number}" for shard in named)
        raise InvalidPosition(f"{position} is a place in {len(named)} streams. Write {choices}.")
    existing = ", ".join(str(shard) for shard in shards) or "none"
    raise InvalidPosition(f"{position} names no partition of the subscription. Its partitions: {existing}.")
