"""How far a rewind has got: which shards are read from the new position, and by whom."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Rewind, RewoundShard
from streamapp.services.wording import amount
from streamapp.services.workers import is_live, owner


class Arrival(StrEnum):
    """Where one rewound shard stands."""

    APPLIED = "applied"
    WAITING = "waiting for its worker"
    UNREAD = "no live worker reads it; takes effect when one takes it"
    SUPERSEDED = "a later rewind took its place"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many shards a rewind moved and how many of them still wait for a worker."""

    total: int
    waiting: int

    @property
    def done(self) -> bool:
        """Tell whether no shard waits any more."""
        return self.waiting == 0

    def __str__(self) -> str:
        """Say it in a sentence."""
        settled = f"{self.total - self.waiting:,} of {amount(self.total, 'shard')}"
        return f"Workers have applied {settled}." + (f" {self.waiting:,} still wait." if self.waiting else "")


def progress(rewind: Rewind) -> Progress:
    """Count the shards of a rewind; superseded ones wait for nobody."""
    rows = rewound_shards(rewind)
    return Progress(rows.count(), rows.filter(applied_at=None, superseded=False).count())


def rewound_shards(rewind: Rewind) -> QuerySet[Any]:
    """Return the rows of a rewind with all that `arrival` asks for, waiting ones first."""
    later = RewoundShard.objects.filter(checkpoint=OuterRef("checkpoint"), rewind__gt=OuterRef("rewind"))
    rows = RewoundShard.objects.using(configuration().DATABASE).filter(rewind=rewind)
    related = rows.select_related("checkpoint__subscription", "checkpoint__lease__worker", "applied_by")
    return related.annotate(superseded=Exists(later), now=Now()).order_by(
        F("applied_at").asc(nulls_first=True), "pk"
    )


def arrival(row: Any) -> Arrival:
    """Say where one row of `rewound_shards` stands."""
    if row.applied_at is not None:
        return Arrival.APPLIED
    if row.superseded:
        return Arrival.SUPERSEDED
    return Arrival.WAITING if is_live(owner(row.checkpoint), row.now) else Arrival.UNREAD
