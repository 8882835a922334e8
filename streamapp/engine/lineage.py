"""Which shards may be read now: parents before children.

A split or merge closes shards and makes others. The children wait until every parent is finished:
read to its end with every delivery settled, which its checkpoint says by SHARD_END. A parent that
the stream no longer lists has passed its retention and doesn't count.
"""

from collections.abc import Collection, Mapping, Sequence

from streamapp.records import Shard
from streamapp.store.lineage import Standing

Lineage = Mapping[Shard, Sequence[Shard]]
"""The shards that are listed, each with its listed parents."""
Standings = Mapping[Shard, Standing]


def readable(lineage: Lineage, finished: Collection[Shard]) -> list[Shard]:
    """Return the shards that aren't finished and whose parents all are."""
    unfinished = {shard for shard in lineage if shard not in finished}
    return [shard for shard in lineage if shard in unfinished and unfinished.isdisjoint(lineage[shard])]


def descendants(shards: Collection[Shard], lineage: Lineage) -> set[Shard]:
    """Return the listed children of these shards, their children, and so on."""
    found: set[Shard] = set()
    while born := {child for child, parents in lineage.items() if {*shards, *found} & {*parents}} - found:
        found |= born
    return found


def are_born(ended: Collection[Shard], lineage: Lineage) -> bool:
    """Tell whether the children of all these shards are listed."""
    return {parent for parents in lineage.values() for parent in parents}.issuperset(ended)


def incomplete(lineage: Lineage, standings: Standings) -> dict[int, list[str]]:
    """Return the rows that lack parents of theirs, with all parents that they should name."""
    found = {shard: [parent.id for parent in parents] for shard, parents in lineage.items()}
    return {
        row.checkpoint: list(dict.fromkeys([*row.parents, *found[shard]]))
        for shard, row in standings.items()
        if not set(found.get(shard, ())).issubset(row.parents)
    }


def left(lineage: Lineage, standings: Standings) -> dict[Shard, Standing]:
    """Return the rows of shards that their streams list no more; a stream without any tells nothing."""
    streams = {shard.stream for shard in lineage}
    return {
        shard: row
        for shard, row in standings.items()
        if shard.stream in streams and shard not in lineage and not row.retired
    }


def returned(lineage: Lineage, standings: Standings) -> list[int]:
    """Return the retired rows of shards that are listed after all."""
    return [row.checkpoint for shard, row in standings.items() if row.retired and shard in lineage]
