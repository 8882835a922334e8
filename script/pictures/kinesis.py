"""The rows of a stream of Kinesis after two splits and a merge, as workers leave them."""

from datetime import UTC, datetime, timedelta

FIRST_SEQUENCE = 49650326716294118268471937215476120734623011470530740226


def shards():  # type: ignore[no-untyped-def]
    """Make the checkpoints of shipping.ship and return them: finished, held up, read and waiting ones."""
    from streamapp import registry
    from streamapp.models import Checkpoint
    from streamapp.records import Shard
    from streamapp.store import Store

    store = Store("default")
    mount = registry.mount("shipping.ship")
    subscription = store.subscriptions.ensure(mount)
    [stream] = mount.source.streams()
    lineage = _lineage()
    positions = {Shard(stream, name, "1796000000"): position for name, (position, _) in lineage.items()}
    store.checkpoints.create(subscription, positions)
    store.subscriptions.start(subscription)
    rows = Checkpoint.objects.filter(subscription=subscription)
    for name, (_, parents) in lineage.items():
        rows.filter(shard=name).update(parents=parents)
    rows.filter(shard=_name(0)).update(retired_at=datetime.now(UTC) - timedelta(hours=7))
    return list(rows.select_related("subscription").order_by("id"))


def _lineage():  # type: ignore[no-untyped-def]
    """Return position and parents by shard: 0 was split into 1 and 2, 1 into 3 and 4; 2 and 4 are merged."""
    from streamapp.brokers.kinesis import packing
    from streamapp.positions import SHARD_END

    opened = packing.moment(int((datetime.now(UTC) - timedelta(hours=6)).timestamp() * 1000))
    held, behind = packing.at(FIRST_SEQUENCE + 12), packing.after(packing.at(FIRST_SEQUENCE + 40, 2))
    return {
        _name(0): (SHARD_END, []),
        _name(1): (SHARD_END, [_name(0)]),
        _name(2): (held, [_name(0)]),
        _name(3): (behind, [_name(1)]),
        _name(4): (SHARD_END, [_name(1)]),
        _name(5): (opened, [_name(2), _name(4)]),
    }


def _name(number: int) -> str:
    return f"shardId-{number:012d}"
