"""What all shards of each subscription come to: one query a table, whatever the number of rows."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Manager, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Checkpoint, DeadLetter, HeldRecord, Quarantined
from streamapp.models.worker import WorkerState
from streamapp.positions import SHARD_END
from streamapp.services.alerts import live_alerts
from streamapp.services.lag import ShardLag
from streamapp.services.lineage import waits_of

COUNTED_AT_MOST = 1_000
"""Up to how many quarantined records, and dead letters, of a subscription are counted."""
LIVE = Q(lease__worker__state=WorkerState.ALIVE) & Q(
    lease__worker__heartbeat_at__gt=Now() - F("lease__worker__ttl")
)
"""Holds for a checkpoint whose lease a live worker has."""
BEHIND = Q(lag__records__gt=0) | Q(lag__records=None)
"""Holds for a checkpoint that has something before it, as far as anybody knows."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The shards of one subscription that aren't finished, added up.

    `unread` have no live owner. `oldest_at` is when the checkpoint that stands still the longest was
    last written, of those that have something before them; None if there are none.
    """

    shards: int = 0
    unread: int = 0
    lag: ShardLag = field(default_factory=ShardLag)
    oldest_at: datetime | None = None


def unfinished() -> "QuerySet[Checkpoint]":
    """Return the checkpoints that somebody should move."""
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(retired_at=None)
    return rows.exclude(position=SHARD_END)


def shard_totals(subscriptions: Collection[int], now: datetime) -> Mapping[int, Totals]:
    """Add up checkpoints, leases and lags by subscription; `now` is the moment by the database's clock."""
    rows = unfinished().filter(subscription__in=subscriptions).values("subscription").annotate(**_SUMS)
    return {row["subscription"]: _totals(row, now) for row in rows.order_by()}


def waiting(subscriptions: Collection[int]) -> Mapping[int, int]:
    """Count by subscription the children of splits and merges that nobody reads: a parent isn't finished."""
    rows = unfinished().filter(subscription__in=subscriptions).exclude(parents=[]).exclude(LIVE)
    children = list(rows.select_related("subscription"))
    waits = waits_of(children)
    return Counter(row.subscription_id for row in children if row.pk in waits)


def held_totals(subscriptions: Collection[int]) -> Mapping[int, int]:
    """Count held records by subscription."""
    held = HeldRecord.objects.using(configuration().DATABASE).order_by()
    own = held.filter(checkpoint__subscription__in=subscriptions).values_list("checkpoint__subscription")
    return dict(own.annotate(count=Count("pk")))


def alert_totals(subscriptions: Collection[int]) -> Mapping[tuple[int, str], int]:
    """Count what live workers warn of, by subscription and kind."""
    alerts = live_alerts().filter(checkpoint__subscription__in=subscriptions).order_by()
    counted = alerts.values("checkpoint__subscription", "kind").annotate(count=Count("pk"))
    return {(row["checkpoint__subscription"], row["kind"]): row["count"] for row in counted}


def with_set_aside(subscriptions: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate subscriptions with `quarantined` and `dead_letters`, each counted up to COUNTED_AT_MOST."""
    rows: QuerySet[Any] = subscriptions.annotate(
        quarantined=_counted(Quarantined.objects), dead_letters=_counted(DeadLetter.objects)
    )
    return rows


def _counted(rows: Manager[Any]) -> "_CountedRows":
    own = rows.filter(subscription=OuterRef("name")).order_by().values("pk")
    return _CountedRows(own[:COUNTED_AT_MOST])


class _CountedRows(Subquery):
    """The number of rows of a query, which may have a limit."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"


_SUMS: Mapping[str, Any] = {
    "shards": Count("pk"),
    "read": Count("pk", filter=LIVE),
    "sampled": Count("lag"),
    "counted": Count("lag__records"),
    "records": Sum("lag__records"),
    "milliseconds": Max("lag__milliseconds"),
    "sampled_at": Min("lag__sampled_at"),
    "oldest_at": Min("saved_at", filter=BEHIND),
}


def _totals(row: Mapping[str, Any], now: datetime) -> Totals:
    return Totals(row["shards"], row["shards"] - row["read"], _lag(row, now), row["oldest_at"])


def _lag(row: Mapping[str, Any], now: datetime) -> ShardLag:
    if not row["sampled"]:
        return ShardLag()
    complete = row["counted"] == row["sampled"] >= row["read"]
    records = row["records"] if complete else None
    seconds = None if row["milliseconds"] is None else row["milliseconds"] / 1000
    return ShardLag(records, seconds, (now - row["sampled_at"]).total_seconds())
