"""Where one shard of a subscription stands."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.db.models.functions import Now

from streamapp.brokers.base import Broker
from streamapp.conf import configuration
from streamapp.models import Checkpoint
from streamapp.records import Bounds, Shard
from streamapp.services.held import with_first_held
from streamapp.services.lag import ShardLag, sampled_lag
from streamapp.services.lineage import Stage, Wait, stage, waits_of
from streamapp.services.pauses import Pauses, told
from streamapp.services.places import described
from streamapp.services.workers import is_live, owner, worker_state


@dataclass(frozen=True, slots=True)
class ShardStatus:
    """One checkpoint. A lag is None where nobody knows it; see `ShardLag`.

    `lag_age_seconds` is the age of the worker's sample, None where the broker was asked just now.
    `lost` counts the records that retention has already taken from a shard that nobody reads.
    `held_first` is the position of the first held record, `held_described` the same as its broker
    writes it, and `held_reason` its reason. `paused` says who paused the shard by itself, and why.
    `saved_at` and `age_seconds` say when the position last moved. `waits_for` names the parents that
    must be finished first.
    `present` is False for a shard that the streams don't have any more, None when nobody could say.
    """

    shard: str
    stage: Stage
    owner: str | None
    worker_state: str
    position: int
    described: str
    epoch: int
    lag_records: int | None
    lag_seconds: float | None
    lag_age_seconds: float | None
    lost: int | None
    held: int
    held_first: int | None
    held_described: str | None
    held_reason: str
    paused: str
    saved_at: datetime
    age_seconds: float
    retired_at: datetime | None
    retired_seconds: float | None
    waits_for: tuple[Wait, ...]
    present: bool | None


def checkpoints(names: Collection[str], paused: Pauses) -> Mapping[str, Sequence[Any]]:
    """Return the rows of these subscriptions with all that their status is made of; two queries."""
    found = Checkpoint.objects.using(configuration().DATABASE).filter(subscription__name__in=names)
    rows = found.select_related("subscription", "lease__worker", "lag").annotate(
        now=Now(), held_count=Count("held")
    )
    ordered = list(with_first_held(rows).order_by("stream", "pk"))
    waits = waits_of(ordered)
    grouped: dict[str, list[Any]] = {}
    for row in ordered:
        row.waits, row.pause = waits.get(row.pk, ()), paused.shards.get(row.pk)
        grouped.setdefault(row.subscription.name, []).append(row)
    return grouped


def is_unknown(row: Any) -> bool:
    """Tell whether only the broker can say how far a shard is behind: no live worker samples it."""
    sampled = is_live(owner(row), row.now) and sampled_lag(row, row.now) is not None
    return stage(row, row.waits) in (Stage.OPEN, Stage.WAITING) and not sampled


def shard_status(
    row: Any, present: Collection[Shard] | None, bounds: Bounds | None, broker: Broker | None
) -> ShardStatus:
    """Say where one row of `checkpoints` stands; `bounds` is what the broker said of it, if asked."""
    worker, alias = owner(row), row.subscription.broker
    lag = _lag(row, bounds, broker)
    return ShardStatus(
        shard=str(row),
        stage=stage(row, row.waits),
        owner=str(worker) if worker else None,
        worker_state=worker_state(worker, row.now),
        position=row.position,
        described=described(alias, row.position),
        epoch=row.epoch,
        lag_records=lag.records,
        lag_seconds=lag.seconds,
        lag_age_seconds=lag.age_seconds,
        lost=_lost(row, bounds, broker),
        held=row.held_count,
        held_first=row.held_first,
        held_described=None if row.held_first is None else described(alias, row.held_first),
        held_reason=row.held_reason or "",
        paused=told(row.pause) if row.pause else "",
        saved_at=row.saved_at,
        age_seconds=(row.now - row.saved_at).total_seconds(),
        retired_at=row.retired_at,
        retired_seconds=(row.now - row.retired_at).total_seconds() if row.retired_at else None,
        waits_for=row.waits,
        present=None if present is None else row.key in present,
    )


def _lost(row: Any, bounds: Bounds | None, broker: Broker | None) -> int | None:
    """Count what the log kept when the checkpoint was written, and doesn't any more; None if not asked."""
    if bounds is None or broker is None or stage(row, row.waits) is Stage.FINISHED:
        return None
    lost = broker.records_between(row.position, bounds.first)
    return None if lost is None else max(lost, 0)


def _lag(row: Any, bounds: Bounds | None, broker: Broker | None) -> ShardLag:
    """Take what the broker just said before what a worker said once, and nothing of a finished shard."""
    if stage(row, row.waits) is Stage.FINISHED:
        return ShardLag()
    if bounds and broker:
        records = broker.records_between(max(row.position, bounds.first), bounds.end)
        if records is not None:
            return ShardLag(max(records, 0))
    return sampled_lag(row, row.now) or ShardLag()
