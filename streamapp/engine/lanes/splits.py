"""What a strand is, by ORDER: a shard, a key of a topic, or a single record.

A record without a key belongs to the strand of its shard.
"""

from collections.abc import Callable, Hashable, Iterator

from streamapp.engine.shard import Slice

Strand = Hashable
Split = Callable[[Slice], Iterator[tuple[Strand, Slice]]]


def by_shard(part: Slice) -> Iterator[tuple[Strand, Slice]]:
    """Keep a shard's records in order."""
    yield part.state.shard, part


def by_key(part: Slice) -> Iterator[tuple[Strand, Slice]]:
    """Keep the records of a key in order, within its topic."""
    shard, keys = part.state.shard, part.chunk.keys()
    chosen: dict[Strand, list[int]] = {}
    for index in part.indexes:
        key = keys[index]
        chosen.setdefault(shard if key is None else (shard.stream, key), []).append(index)
    for strand, indexes in chosen.items():
        yield strand, part.rest(indexes)


def singly(part: Slice) -> Iterator[tuple[Strand, Slice]]:
    """Keep no order."""
    for index in part.indexes:
        yield object(), part.rest([index])


SPLITS: dict[str, Split] = {"shard": by_shard, "key": by_key, "none": singly}
