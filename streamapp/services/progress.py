"""How far a rewind has got: which shards are read from the new position, and by whom."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Rewind, RewoundShard
from streamapp.services.wording import amount
from streamapp.services.workers import is_live, live_workers, owner


class Arrival(StrEnum):
    """Where one rewound shard stands."""

    APPLIED = "applied"
    WAITING = "waiting for its worker"
    UNREAD = "no live worker reads it; takes effect when one takes it"
    SUPERSEDED = "a later rewind took its place"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many shards a rewind moved, how many still wait, and how many live workers could read them."""

    subscription: str
    total: int
    waiting: int
    workers: int

    @property
    def done(self) -> bool:
        """Tell whether no shard waits any more."""
        return self.waiting == 0

    @property
    def under_way(self) -> bool:
        """Tell whether a shard waits and there is a worker that may come to it."""
        return self.waiting > 0 and self.workers > 0

    def __str__(self) -> str:
        """Say it in a sentence or three."""
        settled = f"{self.total - self.waiting:,} of {amount(self.total, 'shard')}"
        return f"Workers have applied {settled}." + ("" if self.done else self._open())

    def _open(self) -> str:
        still = f" {self.waiting:,} still {'waits' if self.waiting == 1 else 'wait'}."
        if self.workers:
            return still
        return f"{still} No live worker runs {self.subscription}: it takes effect when one starts."


def progress(rewind: Rewind) -> Progress:
    """Count the shards of a rewind; superseded ones wait for nobody."""
    rows, name = rewound_shards(rewind), rewind.subscription.name
    waiting = rows.filter(applied_at=None, superseded=False).count()
    return Progress(name, rows.count(), waiting, len(live_workers([name])))


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
