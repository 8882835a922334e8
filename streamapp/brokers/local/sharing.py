"""Divides one poll between the shards that have news."""

from collections.abc import Mapping
from itertools import islice

from streamapp.records import Shard


def shares(news: Mapping[Shard, int], limit: int) -> dict[Shard, int]:
    """Divide `limit` records: each shard gets an equal part, and what one doesn't need goes to the others.

    With more shards than records, the first ones get one record each.
    """
    turns = dict(islice(news.items(), limit))
    divided: dict[Shard, int] = {}
    for shard in sorted(turns, key=turns.__getitem__):
        divided[shard] = min(turns[shard], limit // (len(turns) - len(divided)))
        limit -= divided[shard]
    return {shard: divided[shard] for shard in turns}
