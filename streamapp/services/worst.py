"""The shards of a subscription, those first that somebody should look at."""

from collections.abc import Collection
from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Checkpoint, HeldRecord
from streamapp.services.pauses import with_paused
from streamapp.services.totals import LIVE, unfinished


def worst_first(subscription: int) -> QuerySet[Any, int]:
    """Return the ids of the shards that aren't finished, to be cut into pages.

    Those that hold records come first, then those that nobody reads, then those that are the furthest
    behind. No more than the ids, because ten thousand rows are sorted.
    """
    held = HeldRecord.objects.filter(checkpoint__subscription=subscription).values("checkpoint")
    holds = Case(When(pk__in=held, then=Value(0)), default=Value(1))
    read = Case(When(LIVE | ~Q(parents=[]), then=Value(1)), default=Value(0))
    furthest = [F(f"lag__{name}").desc(nulls_last=True) for name in ("milliseconds", "records")]
    rows = unfinished().filter(subscription=subscription).order_by(holds, read, *furthest, "stream", "pk")
    return rows.values_list("pk", flat=True)


def shards(ids: Collection[int]) -> list[Any]:
    """Return these checkpoints in the given order, with all that is shown of them."""
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(pk__in=ids)
    related = rows.select_related("subscription", "lease__worker", "lag")
    found = {row.pk: row for row in with_paused(related.annotate(now=Now(), held_count=Count("held")))}
    return [found[pk] for pk in ids if pk in found]
