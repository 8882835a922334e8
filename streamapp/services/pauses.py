"""What is paused, and how that is told."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from streamapp.conf import configuration
from streamapp.models import Pause
from streamapp.services.wording import moment


def told(pause: Pause) -> str:
    """Say who paused it, since when and why: `paused by ann since 2026-11-01 03:12:00 UTC because …`."""
    why = f" because: {pause.reason}" if pause.reason else ""
    return f"paused by {pause.paused_by} since {moment(pause.paused_at)}{why}"


@dataclass(frozen=True, slots=True)
class Pauses:
    """The pauses of some subscriptions: as a whole by name, and of shards by the id of their checkpoint."""

    whole: Mapping[str, Pause]
    shards: Mapping[int, Pause]

    def of(self, subscription: str, checkpoint: int) -> Pause | None:
        """Return what stops a shard: its own pause, or the one of its subscription."""
        return self.shards.get(checkpoint) or self.whole.get(subscription)


def pauses(subscriptions: Collection[str]) -> Pauses:
    """Return the pauses of these subscriptions, in one query."""
    rows = Pause.objects.using(configuration().DATABASE).filter(subscription__name__in=subscriptions)
    found = list(rows.select_related("subscription"))
    return Pauses(
        {row.subscription.name: row for row in found if row.checkpoint_id is None},
        {row.checkpoint_id: row for row in found if row.checkpoint_id is not None},
    )


@dataclass(frozen=True, slots=True)
class Standstill:
    """What operators stopped of one subscription: all of it, and so many shards by themselves."""

    whole: Pause | None = None
    shards: int = 0


def standstills(subscriptions: Collection[int]) -> Mapping[int, Standstill]:
    """Return what stands still, by subscription; two queries, however many shards are paused."""
    rows = Pause.objects.using(configuration().DATABASE).filter(subscription__in=subscriptions).order_by()
    whole = {row.subscription_id: row for row in rows.filter(checkpoint=None)}
    single = rows.exclude(checkpoint=None).values_list("subscription")
    counts = dict(single.annotate(count=Count("pk")))
    return {pk: Standstill(whole.get(pk), counts.get(pk, 0)) for pk in {*whole, *counts}}


def with_paused(checkpoints: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate checkpoints with `is_paused`: by themselves, or with their subscription."""
    stops = Q(checkpoint=OuterRef("pk")) | Q(subscription=OuterRef("subscription"), checkpoint=None)
    rows: QuerySet[Any] = checkpoints.annotate(is_paused=Exists(Pause.objects.filter(stops)))
    return rows


def pause_of(checkpoint: Any) -> Pause | None:
    """Return what stops one shard, or None."""
    rows = Pause.objects.using(configuration().DATABASE).filter(subscription=checkpoint.subscription_id)
    mine = rows.filter(Q(checkpoint=checkpoint.pk) | Q(checkpoint=None))
    return mine.order_by(F("checkpoint").desc(nulls_last=True)).first()
