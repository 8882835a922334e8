"""The shards of a subscription, those first that somebody should look at."""

from typing import Any

from django.db.models import Case, Count, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Now

from streamapp.models import HeldRecord
from streamapp.services.totals import LIVE, unfinished


def worst_shards(subscription: int) -> QuerySet[Any]:
    """Return the shards that aren't finished, with all that is shown of them.

    Those that hold records come first, then those that nobody reads, then those that are the furthest behind.
    """
    held = HeldRecord.objects.filter(checkpoint=OuterRef("pk")).order_by().values("checkpoint")
    counted = Coalesce(Subquery(held.annotate(n=Count("pk")).values("n")), 0)
    read = When(LIVE | ~Q(parents=[]), then=Value(0))
    rows: QuerySet[Any] = unfinished().filter(subscription=subscription)
    rows = rows.annotate(now=Now(), held_count=counted, unread=Case(read, default=Value(1)))
    ordered = rows.order_by("-held_count", "-unread", *_FURTHEST, "stream", "pk")
    return ordered.select_related("subscription", "lease__worker", "lag")


_FURTHEST = [F(f"lag__{name}").desc(nulls_last=True) for name in ("milliseconds", "records")]
