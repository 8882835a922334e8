"""How far a rewind has got: which shards are read from the new position, and by whom."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Rewind, RewoundShard
from streamapp.positions import SHARD_END
from streamapp.services.lineage import waits_of
from streamapp.services.wording import amount
from streamapp.services.workers import is_live, live_workers, owner


class Arrival(StrEnum):
    """Where one rewound shard stands."""

    READ = "read: its first record came"
    APPLIED = "applied: read from there"
    SEEN = "seen: its worker has dropped what it had"
    WAITING = "waiting for its worker"
    GATED = "waits for its parents"
    FINISHED = "finished: nobody has to read it"
    UNREAD = "no live worker reads it; takes effect when one takes it"
    SUPERSEDED = "a later rewind took its place"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many shards a rewind moved, how many still wait, and how many live workers could read them.

    `gated` shards wait for their parents, as they should: they aren't among the waiting ones.
    """

    subscription: str
    total: int
    waiting: int
    gated: int
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
        settled = self.total - self.waiting - self.gated
        said = f"Workers have applied {settled:,} of {amount(self.total, 'shard')}."
        if self.gated:
            said += f" {self.gated:,} {'waits' if self.gated == 1 else 'wait'} for parents to be finished."
        return said + ("" if self.done else self._open())

    def _open(self) -> str:
        still = f" {self.waiting:,} still {'waits' if self.waiting == 1 else 'wait'}."
        if self.workers:
            return still
        return f"{still} No live worker runs {self.subscription}: it takes effect when one starts."


def progress(rewind: Rewind) -> Progress:
    """Count the shards of a rewind; superseded and finished ones wait for nobody."""
    rows, name = rewound_shards(rewind), rewind.subscription.name
    waiting = rows.filter(applied_at=None, superseded=False).exclude(new_position=SHARD_END)
    gated = len(gated_of(waiting.exclude(checkpoint__parents=[])))
    return Progress(name, rows.count(), waiting.count() - gated, gated, len(live_workers([name])))


def rewound_shards(rewind: Rewind) -> QuerySet[Any]:
    """Return the rows of a rewind with all that `arrival` asks for, waiting ones first."""
    rows = RewoundShard.objects.using(configuration().DATABASE).filter(rewind=rewind)
    related = rows.select_related("checkpoint__subscription", "checkpoint__lease__worker", "applied_by")
    return related.annotate(superseded=superseded_after(rewind.pk), now=Now()).order_by(
        F("applied_at").asc(nulls_first=True), "pk"
    )


def superseded_after(rewind: int) -> Q:
    """Return what tells of a row of the rewind whether a later one took its place.

    The shards of later rewinds are one set, and not looked for row by row: where its statistics still say
    that the table is empty, PostgreSQL would compare each row with each.
    """
    rewinds = Rewind.objects.filter(pk=rewind).values("subscription")
    later = RewoundShard.objects.filter(rewind__gt=rewind, rewind__subscription__in=rewinds)
    return Q(checkpoint__in=later.values("checkpoint").distinct())


def gated_of(rows: Iterable[Any]) -> set[int]:
    """Return the checkpoints among rows of `rewound_shards` that wait for their parents; one query more."""
    return set(waits_of([row.checkpoint for row in rows]))


def arrival(row: Any, gated: Iterable[int] = ()) -> Arrival:
    """Say where one row of `rewound_shards` stands; `gated` is what `gated_of` found."""
    if row.read_at is not None:
        return Arrival.READ
    if row.applied_at is not None:
        return Arrival.APPLIED
    if row.superseded:
        return Arrival.SUPERSEDED
    if row.new_position == SHARD_END:
        return Arrival.FINISHED
    if row.checkpoint_id in gated:
        return Arrival.GATED
    if not is_live(owner(row.checkpoint), row.now):
        return Arrival.UNREAD
    return Arrival.WAITING if row.seen_at is None else Arrival.SEEN
