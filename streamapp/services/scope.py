"""Which shards an operator means by the names on a command line."""

from collections.abc import Sequence

from streamapp import registry
from streamapp.exceptions import InvalidPosition
from streamapp.records import Shard


def shards_named(subscription: str, names: Sequence[str]) -> list[Shard]:
    """Return the shards that the broker has under `orders/3`, or `3` where that is plain.

    Raises InvalidPosition naming what is missing or ambiguous.
    """
    mount = registry.mount(subscription)
    shards = registry.broker(mount.broker).shards(mount.source)
    return [_named(name, shards, subscription) for name in names]


def _named(name: str, shards: Sequence[Shard], subscription: str) -> Shard:
    matching = [shard for shard in shards if name in (str(shard), shard.id)]
    if not matching:
        raise InvalidPosition(f"{subscription} has no shard {name}. `manage.py streams status` lists them.")
    if len(matching) > 1:
        raise InvalidPosition(f"{name} is ambiguous: write one of {', '.join(map(str, matching))}.")
    return matching[0]
