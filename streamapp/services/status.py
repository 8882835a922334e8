"""Where every subscription stands: owners, positions, lag, held records, and what nobody owns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Now

from streamapp import registry
from streamapp.brokers.base import Broker
from streamapp.conf import configuration
from streamapp.exceptions import BrokerUnavailable, UnknownSubscription
from streamapp.models import Checkpoint, HeldRecord, Quarantined, Subscription
from streamapp.mount import Mount
from streamapp.records import Bounds, Shard
from streamapp.services.workers import owner, worker_state

NOT_MOUNTED = (
    'No entry of STREAMAPP["SUBSCRIPTIONS"] owns these checkpoints. Add it, give them to another name with '
    "`streams rename OLD NEW --execute`, or delete them with `streams forget OLD --execute`."
)


@dataclass(frozen=True, slots=True)
class ShardStatus:
    """One checkpoint. Lag in records is None when the broker is down or its positions don't count.

    `held_first` is the position of the first held record and `held_reason` its reason. `saved_at` and
    `age_seconds` say when the position last moved.
    `present` is False for a shard that the streams don't have any more, None when nobody could say.
    """

    shard: str
    owner: str | None
    worker_state: str
    position: int
    described: str
    epoch: int
    lag_records: int | None
    lag_seconds: float | None
    held: int
    held_first: int | None
    held_reason: str
    saved_at: datetime
    age_seconds: float
    present: bool | None


@dataclass(frozen=True, slots=True)
class SubscriptionStatus:
    """One subscription with its shards. `problem` says why something is missing here.

    `orphan` tells that no entry of STREAMAPP["SUBSCRIPTIONS"] owns the checkpoints.
    """

    name: str
    broker: str
    streams: str
    orphan: bool
    problem: str
    quarantined: int
    shards: tuple[ShardStatus, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the status as plain values; times as ISO 8601 with their zone."""
        values = asdict(self)
        for shard in values["shards"]:
            shard["saved_at"] = shard["saved_at"].isoformat()
        return values


def status(names: Collection[str] = ()) -> list[SubscriptionStatus]:
    """Return how all subscriptions stand, or the named ones, by name; asks database and brokers.

    Takes three queries, and two calls to the broker for each subscription. Raises UnknownSubscription
    for a name that is neither mounted nor stored.
    """
    mounts = registry.mounts()
    stored = {row.name: row for row in Subscription.objects.using(configuration().DATABASE)}
    known = mounts.keys() | stored.keys()
    if unknown := sorted(set(names) - known):
        there_are = ", ".join(sorted(known)) or "none yet"
        raise UnknownSubscription(f"No subscription is called {', '.join(unknown)}. There are: {there_are}.")
    rows, quarantined = _checkpoints(names or known), _quarantined(names or known)
    return [
        _subscription(name, mounts.get(name), stored.get(name), rows.get(name, []), quarantined.get(name, 0))
        for name in sorted(set(names) or known)
    ]


def _checkpoints(names: Collection[str]) -> Mapping[str, Sequence[Any]]:
    found = Checkpoint.objects.using(configuration().DATABASE).filter(subscription__name__in=names)
    held = HeldRecord.objects.filter(checkpoint=OuterRef("pk")).order_by("position")
    rows = found.select_related("subscription", "lease__worker").annotate(
        now=Now(),
        held_count=Count("held"),
        held_first=Subquery(held.values("position")[:1]),
        held_reason=Subquery(held.values("reason")[:1]),
    )
    grouped: dict[str, list[Any]] = {}
    for row in rows.order_by("stream", "pk"):
        grouped.setdefault(row.subscription.name, []).append(row)
    return grouped


def _quarantined(names: Collection[str]) -> Mapping[str, int]:
    found = Quarantined.objects.using(configuration().DATABASE).filter(subscription__in=names).order_by()
    return dict(found.values_list("subscription").annotate(count=Count("pk")))


def _subscription(
    name: str, mount: Mount | None, stored: Subscription | None, rows: Sequence[Any], quarantined: int
) -> SubscriptionStatus:
    present, bounds, problem = _ask(mount, [row.key for row in rows])
    broker = registry.broker(mount.broker) if mount else None
    shards = tuple(_shard(row, present, bounds.get(row.key), broker) for row in rows)
    streams = ", ".join(mount.source.streams()) if mount else stored.streams if stored else ""
    alias = mount.broker if mount else stored.broker if stored else ""
    if not rows and not problem:
        problem = "It has no checkpoint yet: run it once."
    return SubscriptionStatus(name, alias, streams, mount is None, problem, quarantined, shards)


def _ask(
    mount: Mount | None, shards: Sequence[Shard]
) -> tuple[Collection[Shard] | None, Mapping[Shard, Bounds], str]:
    if mount is None:
        return None, {}, NOT_MOUNTED
    try:
        broker = registry.broker(mount.broker)
        present = set(broker.shards(mount.source))
        return present, broker.bounds([shard for shard in shards if shard in present]), ""
    except BrokerUnavailable as error:
        return None, {}, f"The broker {mount.broker} didn't answer, so the lag is unknown: {error}"


def _shard(
    row: Any, present: Collection[Shard] | None, bounds: Bounds | None, broker: Broker | None
) -> ShardStatus:
    worker = owner(row)
    state = worker_state(worker, row.now)
    return ShardStatus(
        shard=str(row),
        owner=str(worker) if worker else None,
        worker_state=state,
        position=row.position,
        described=broker.describe(row.position) if broker else str(row.position),
        epoch=row.epoch,
        lag_records=_lag(row.position, bounds, broker),
        lag_seconds=None,
        held=row.held_count,
        held_first=row.held_first,
        held_reason=row.held_reason or "",
        saved_at=row.saved_at,
        age_seconds=(row.now - row.saved_at).total_seconds(),
        present=None if present is None else row.key in present,
    )


def _lag(position: int, bounds: Bounds | None, broker: Broker | None) -> int | None:
    if bounds is None or broker is None:
        return None
    lag = broker.records_between(max(position, bounds.first), bounds.end)
    return None if lag is None else max(lag, 0)
