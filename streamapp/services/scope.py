"""Which shards an operator means by the names on a command line."""

from collections.abc import Sequence

from streamapp import registry
from streamapp.exceptions import InvalidPosition
from streamapp.records import Shard

SHOWN_AT_MOST = 20


def shards_named(subscription: str, names: Sequence[str]) -> list[Shard]:
    """Return the shards that the broker has under `orders/3`, or `3` where that is plain.

    Raises InvalidPosition naming what is missing or ambiguous.
    """
    mount = registry.mount(subscription)
    shards = registry.broker(mount.broker).shards(mount.source)
    return [_named(name, shards, subscription) for name in names]


def shard_meant(subscription: str, name: str | None, text: str) -> Shard:
    """Return the shard that is named, or else the one that a position like `3@1200` names, or the only one.

    Raises InvalidPosition naming what is missing or ambiguous, BrokerUnavailable if no answer comes.
    """
    mount = registry.mount(subscription)
    shards = registry.broker(mount.broker).shards(mount.source)
    if name is not None:
        return _named(name, shards, subscription)
    if "@" in text:
        return _named(text.partition("@")[0], shards, subscription)
    if len(shards) == 1:
        return shards[0]
    known = ", ".join(map(str, shards[:SHOWN_AT_MOST])) or "none yet"
    raise InvalidPosition(f"Say which shard of {subscription} with --shard. There is {known}.")


def _named(name: str, shards: Sequence[Shard], subscription: str) -> Shard:
    matching = [shard for shard in shards if name in (str(shard), shard.id)]
    if not matching:
        raise InvalidPosition(f"{subscription} has no shard {name}. `manage.py streams status` lists them.")
    if len(matching) > 1:
        raise InvalidPosition(f"{name} is ambiguous: write one of {', '.join(map(str, matching))}.")
    return matching[0]
