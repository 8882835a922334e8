"""The first held record of a shard: the one that its checkpoint stands in front of."""

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from streamapp.models import HeldRecord


def with_first_held(checkpoints: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate checkpoints with `held_first` and `held_reason`, both None where nothing is held."""
    held = HeldRecord.objects.filter(checkpoint=OuterRef("pk")).order_by("position")
    first = {name: Subquery(held.values(name)[:1]) for name in ("position", "reason")}
    rows: QuerySet[Any] = checkpoints.annotate(held_first=first["position"], held_reason=first["reason"])
    return rows
