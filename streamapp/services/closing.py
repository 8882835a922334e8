"""A rewind closes over lineage: what is read again comes before all that was split or merged from it.

A shard that will be read again gates its descendants: they wait until it is finished once more. One
for which the target has no place of its own returns to its first record, because what it holds came
behind what is read again.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from streamapp.positions import SHARD_END
from streamapp.records import Shard

Lineage = Mapping[Shard, Sequence[Shard]]
"""The shards that are listed, each with its listed parents."""


def gated(positions: Mapping[Shard, int], lineage: Lineage) -> set[Shard]:
    """Return the shards that must wait for those that will stand at these positions."""
    return descendants((shard for shard, at in positions.items() if at != SHARD_END), lineage)


def descendants(shards: Iterable[Shard], lineage: Lineage) -> set[Shard]:
    """Return the children of these shards, their children, and so on."""
    children = defaultdict(list)
    for child, parents in lineage.items():
        for parent in parents:
            children[parent].append(child)
    found: set[Shard] = set()
    waiting = deque(shards) if children else deque()
    while waiting:
        born = [child for child in children.get(waiting.popleft(), ()) if child not in found]
        found.update(born)
        waiting.extend(born)
    return found
