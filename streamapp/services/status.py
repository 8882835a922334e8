"""Where every subscription stands: owners, positions, lag, held records, and what nobody owns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count

from streamapp import registry
from streamapp.conf import configuration
from streamapp.exceptions import BrokerUnavailable, UnknownSubscription
from streamapp.models import DeadLetter, Quarantined, Subscription
from streamapp.mount import Mount
from streamapp.records import Bounds, Shard
from streamapp.services.alerts import Loss, Telling, live_alerts, loss, recent_skips, telling
from streamapp.services.pauses import Pauses, pauses, told
from streamapp.services.shard_status import ShardStatus, checkpoints, is_unknown, shard_status

NOT_MOUNTED = (
    'No entry of STREAMAPP["SUBSCRIPTIONS"] owns these checkpoints. Add it, give them to another name with '
    "`streams rename OLD NEW --execute`, or delete them with `streams forget OLD --execute`."
)


@dataclass(frozen=True, slots=True)
class SubscriptionStatus:
    """One subscription with its shards. `problem` says why something is missing here.

    `paused` says who paused it as a whole, since when and why. `orphan` tells that no entry of
    STREAMAPP["SUBSCRIPTIONS"] owns the checkpoints.
    """

    name: str
    broker: str
    streams: str
    orphan: bool
    problem: str
    paused: str
    quarantined: int
    dead_letters: int
    alerts: tuple[Telling, ...]
    skips: tuple[Loss, ...]
    shards: tuple[ShardStatus, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the status as plain values; times as ISO 8601 with their zone."""
        values = asdict(self)
        for shard in values["shards"]:
            for name in ("saved_at", "retired_at"):
                shard[name] = shard[name] and shard[name].isoformat()
            for wait in shard["waits_for"]:
                # What the admin makes its links of tells nothing outside of the database.
                del wait["checkpoint"], wait["position"]
        for skip in values["skips"]:
            skip["skipped_at"] = skip["skipped_at"].isoformat()
        return values


def status(names: Collection[str] = ()) -> list[SubscriptionStatus]:
    """Return how all subscriptions stand, or the named ones, by name; asks database and brokers.

    Takes at most nine queries, and for each subscription one call to the broker; a second one where
    shards have no live worker that knows their lag. Raises UnknownSubscription for a name that is
    neither mounted nor stored.
    """
    mounts = registry.mounts()
    stored = {row.name: row for row in Subscription.objects.using(configuration().DATABASE)}
    known = mounts.keys() | stored.keys()
    if unknown := sorted(set(names) - known):
        there_are = ", ".join(sorted(known)) or "none yet"
        raise UnknownSubscription(f"No subscription is called {', '.join(unknown)}. There are: {there_are}.")
    notes = _notes(names or known)
    rows = checkpoints(names or known, notes.pauses)
    return [
        _subscription(name, mounts.get(name), stored.get(name), rows.get(name, []), notes)
        for name in sorted(set(names) or known)
    ]


@dataclass(frozen=True, slots=True)
class Notes:
    """What is told of subscriptions beside their shards, by name."""

    quarantined: Mapping[str, int]
    dead_letters: Mapping[str, int]
    alerts: Mapping[str, list[Telling]]
    skips: Mapping[str, list[Loss]]
    pauses: Pauses


def _notes(names: Collection[str]) -> Notes:
    alerts: dict[str, list[Telling]] = {}
    skips: dict[str, list[Loss]] = {}
    for alert in live_alerts().filter(checkpoint__subscription__name__in=names):
        alerts.setdefault(alert.checkpoint.subscription.name, []).append(telling(alert))
    for skip in recent_skips().filter(checkpoint__subscription__name__in=names):
        skips.setdefault(skip.checkpoint.subscription.name, []).append(loss(skip))
    return Notes(_counted(Quarantined, names), _counted(DeadLetter, names), alerts, skips, pauses(names))


def _counted(model: type[Quarantined] | type[DeadLetter], names: Collection[str]) -> Mapping[str, int]:
    found = model._default_manager.using(configuration().DATABASE).filter(subscription__in=names).order_by()
    return dict(found.values_list("subscription").annotate(count=Count("pk")))


def _subscription(
    name: str, mount: Mount | None, stored: Subscription | None, rows: Sequence[Any], notes: Notes
) -> SubscriptionStatus:
    present, bounds, problem = _ask(mount, [row.key for row in rows if is_unknown(row)])
    broker = registry.broker(mount.broker) if mount else None
    shards = tuple(shard_status(row, present, bounds.get(row.key), broker) for row in rows)
    streams = ", ".join(mount.source.streams()) if mount else stored.streams if stored else ""
    alias = mount.broker if mount else stored.broker if stored else ""
    if not rows and not problem:
        problem = "It has no checkpoint yet: run it once."
    quarantined, dead_letters = notes.quarantined.get(name, 0), notes.dead_letters.get(name, 0)
    alerts, skips = tuple(notes.alerts.get(name, ())), tuple(notes.skips.get(name, ()))
    whole = notes.pauses.whole.get(name)
    paused = told(whole) if whole else ""
    return SubscriptionStatus(
        name, alias, streams, mount is None, problem, paused, quarantined, dead_letters, alerts, skips, shards
    )


def _ask(
    mount: Mount | None, shards: Sequence[Shard]
) -> tuple[Collection[Shard] | None, Mapping[Shard, Bounds], str]:
    if mount is None:
        return None, {}, NOT_MOUNTED
    try:
        broker = registry.broker(mount.broker)
        present = set(broker.shards(mount.source))
        asked = [shard for shard in shards if shard in present]
        return present, broker.bounds(asked) if asked else {}, ""
    except BrokerUnavailable as error:
        return None, {}, f"The broker {mount.broker} didn't answer, the lag is what workers saw last: {error}"
