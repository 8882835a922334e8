"""Positions as offsets."""

from collections.abc import Sequence
from datetime import datetime

from streamapp.brokers.kafka.queries import Queries
from streamapp.exceptions import InvalidPosition
from streamapp.positions import Ago, At, Earliest, Latest, Moment, Position
from streamapp.records import Shard

LAST_OFFSET = 2**63 - 1


def position_problem(position: Position) -> str | None:
    """Say why a position can't be one of Kafka, or None."""
    if isinstance(position, At) and not position.shard.isdecimal():
        return f"{position} names {position.shard!r}, and a partition of Kafka is a number. Write 3@1200."
    if isinstance(position, At) and not 0 <= position.number <= LAST_OFFSET:
        # The client takes numbers below 0 for other places, such as the end.
        return f"{position} is no place of Kafka: offsets go from 0 to {LAST_OFFSET}."
    return None


def resolve(position: Position, shards: Sequence[Shard], queries: Queries, now: datetime) -> dict[Shard, int]:
    """Turn a position into offsets of those shards that it names. Raises InvalidPosition if it names none."""
    if isinstance(position, At):
        return {_named(position, shards): position.number}
    if isinstance(position, Earliest):
        return queries.firsts(shards)
    ends = queries.ends(shards)
    if isinstance(position, Latest):
        return ends
    moment = position.moment(now) if isinstance(position, Ago) else position
    return _since(moment, ends, queries)


def _since(moment: Moment, ends: dict[Shard, int], queries: Queries) -> dict[Shard, int]:
    """Return the first offsets since a moment; where there is none, the end that was taken before."""
    return {**ends, **queries.since(list(ends), moment.milliseconds)}


def _named(position: At, shards: Sequence[Shard]) -> Shard:
    named = [
        shard
        for shard in shards
        if shard.id == str(int(position.shard)) and position.stream in (None, shard.stream)
    ]
    if not named:
        known = ", ".join(map(str, shards)) or "nothing"
        raise InvalidPosition(f"{position} names a partition that isn't there. There is {known}.")
    if len(named) > 1:
        raise InvalidPosition(f"{position} fits several topics. Write {named[0].stream}/{position}.")
    return named[0]
