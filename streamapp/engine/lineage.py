"""Which shards may be read now: parents before children.

A split or merge closes shards and makes others. The children wait until every parent is finished:
read to its end with every delivery settled, which its checkpoint says by SHARD_END. A parent that
the stream no longer lists has passed its retention and doesn't count.
"""

from collections.abc import Collection, Mapping, Sequence

from streamapp.records import Shard


def readable(
    shards: Sequence[Shard], parents: Mapping[Shard, Sequence[Shard]], finished: Collection[Shard]
) -> list[Shard]:
    """Return the shards that aren't finished and whose listed parents all are."""
    unfinished = {shard for shard in shards if shard not in finished}
    return [
        shard for shard in shards if shard in unfinished and unfinished.isdisjoint(parents.get(shard, ()))
    ]
