"""How far a shard is behind, from the sample of its worker."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min, OuterRef, QuerySet, Subquery, Sum

from streamapp.models import Checkpoint, Lag
from streamapp.positions import SHARD_END
from streamapp.services.wording import amount, span


@dataclass(frozen=True, slots=True)
class ShardLag:
    """The lag of one shard. None means not known.

    `records` counts from the checkpoint to the end of the log. `seconds` tells how far reading is
    behind, whatever is held. `age_seconds` is the age of the sample; None for a figure of this moment.
    """

    records: int | None = None
    seconds: float | None = None
    age_seconds: float | None = None

    @property
    def figures(self) -> list[str]:
        """Write what is known: `12 records`, `3 s`."""
        counted = [] if self.records is None else [amount(self.records, "record")]
        return counted + ([] if self.seconds is None else [span(self.seconds)])


def sampled_lag(row: Checkpoint, now: datetime) -> ShardLag | None:
    """Return the last sample of a shard, if there was one; select `lag` with the row.

    `now` is the moment by the database's clock, which dated the sample.
    """
    sample = getattr(row, "lag", None)
    if sample is None:
        return None
    seconds = None if sample.milliseconds is None else sample.milliseconds / 1000
    return ShardLag(sample.records, seconds, (now - sample.sampled_at).total_seconds())


def with_total_lag(subscriptions: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate subscriptions with what `total_lag` asks for; `now` must be annotated too."""
    unfinished = Lag.objects.filter(checkpoint__subscription=OuterRef("pk"), checkpoint__retired_at=None)
    samples = unfinished.exclude(checkpoint__position=SHARD_END).order_by()
    totals = {
        "lag_shards": Count("pk"),
        "lag_counted": Count("records"),
        "lag_records": Sum("records"),
        "lag_milliseconds": Max("milliseconds"),
        "lag_sampled_at": Min("sampled_at"),
    }
    grouped = samples.values("checkpoint__subscription")
    rows: QuerySet[Any] = subscriptions.annotate(
        **{name: Subquery(grouped.annotate(n=total).values("n")) for name, total in totals.items()}
    )
    return rows


def total_lag(row: Any) -> ShardLag | None:
    """Sum up a subscription: all records if all shards count them, the longest time, the oldest sample."""
    if not row.lag_shards:
        return None
    records = row.lag_records if row.lag_counted == row.lag_shards else None
    seconds = None if row.lag_milliseconds is None else row.lag_milliseconds / 1000
    return ShardLag(records, seconds, (row.now - row.lag_sampled_at).total_seconds())
