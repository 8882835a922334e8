"""Positions as numbers."""

from collections.abc import Sequence

from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.moments import Moments
from streamapp.brokers.kinesis.queries import Queries
from streamapp.exceptions import InvalidPosition
from streamapp.positions import SHARD_END, Ago, At, Earliest, Latest, Position
from streamapp.records import Shard


def position_problem(position: Position) -> str | None:
    """Say why a position can't be one of Kinesis, or None."""
    if not isinstance(position, At):
        return None
    if position.shard.isdecimal():
        return (
            f"{position.shard!r} is no shard of Kinesis. Write shardId-000000000000@ and a sequence number."
        )
    if packing.SEQUENCES <= position.number < packing.RECORDS or position.number > SHARD_END:
        return f"{position} has no sequence number of Kinesis, which is at most 129 digits long."
    return None


def resolve(
    position: Position, shards: Sequence[Shard], queries: Queries, moments: Moments
) -> dict[Shard, int]:
    """Turn a position into numbers of those shards that it names. Raises InvalidPosition if it names none."""
    if isinstance(position, At):
        number = position.number
        return {_named(position, shards): number if packing.is_packed(number) else packing.at(number)}
    asked = moments.local()
    existing = queries.existing(shards)
    if isinstance(position, Earliest):
        return dict.fromkeys(existing, packing.HORIZON)
    if isinstance(position, Latest):
        return dict.fromkeys(existing, packing.moment(moments.held_back(asked).milliseconds))
    moment = position.moment(asked) if isinstance(position, Ago) else position
    return dict.fromkeys(existing, packing.moment(moment.milliseconds))


def _named(position: At, shards: Sequence[Shard]) -> Shard:
    named = [shard for shard in shards if position.names(shard)]
    if not named:
        known = ", ".join(map(str, shards)) or "nothing"
        raise InvalidPosition(f"{position} names a shard that isn't there. There is {known}.")
    if len(named) > 1:
        raise InvalidPosition(f"{position} fits several streams. Write {named[0].stream}/{position}.")
    return named[0]
