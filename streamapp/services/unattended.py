"""What becomes of subscriptions that no live worker runs: their due copies, and their lag."""

from collections.abc import Callable, Sequence
from typing import Any

from streamapp import registry
from streamapp.conf import configuration
from streamapp.mount import Mount
from streamapp.outcomes import Outcome
from streamapp.records import Record
from streamapp.services.pauses import pauses
from streamapp.services.shard_status import checkpoints, is_unknown
from streamapp.services.workers import live_workers
from streamapp.store import Store
from streamapp.store.failed import Claimed
from streamapp.store.lags import Sample

CLAIM_SECONDS = 60.0
MOST = 1000
Send = Callable[[Record], Outcome]


def unattended() -> list[Mount]:
    """Return the mounted subscriptions that no live worker runs, without those that are paused."""
    mounts = registry.mounts()
    attended = {name for worker in live_workers(mounts) for name in worker.subscriptions}
    paused = pauses(mounts).whole
    return [mount for name, mount in mounts.items() if name not in attended and name not in paused]


def hand_over_due(mount: Mount, send: Send) -> int:
    """Send the copies of a subscription that are due, and end their rows; returns how many were sent.

    A crash in between sends a copy twice. Raises BrokerUnavailable as `send` does: the rest is then
    anybody's at once.
    """
    store = Store(configuration().DATABASE)
    claimed = store.delayed.claim(mount.name, CLAIM_SECONDS, MOST)
    sent = 0
    try:
        for copy in claimed:
            _end(store, copy, send(copy.record))
            sent += 1
    finally:
        store.delayed.release({copy.id: copy.claim for copy in claimed[sent:]})
    return sent


def sample_lags(mount: Mount) -> int:
    """Ask the broker how far the shards are behind that no live worker samples; returns how many there are.

    Shards whose positions don't count records are left out. Raises BrokerUnavailable.
    """
    rows = checkpoints([mount.name], pauses([mount.name])).get(mount.name, ())
    samples = _samples(mount, [row for row in rows if is_unknown(row)])
    if samples:
        Store(configuration().DATABASE).lags.write(samples)
    return len(samples)


def _end(store: Store, copy: Claimed, outcome: Outcome) -> None:
    if outcome.settles:
        store.delayed.finish({copy.id: copy.claim})
    else:
        store.delayed.hold(copy, outcome.reason)


def _samples(mount: Mount, rows: Sequence[Any]) -> list[Sample]:
    broker = registry.broker(mount.broker)
    bounds = broker.bounds([row.key for row in rows]) if rows else {}
    found = [(row, bounds[row.key]) for row in rows if row.key in bounds]
    records = [broker.records_between(max(row.position, kept.first), kept.end) for row, kept in found]
    return [
        Sample(row.pk, row.position, max(behind, 0), None)
        for (row, _), behind in zip(found, records, strict=True)
        if behind is not None
    ]
