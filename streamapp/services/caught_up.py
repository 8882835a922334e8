"""Whether the shards of a rewind have handled what was there when it was applied."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from django.db.models import Exists, OuterRef

from streamapp import registry
from streamapp.conf import configuration
from streamapp.models import Checkpoint, HeldRecord, Lag, Rewind
from streamapp.positions import SHARD_END
from streamapp.services.lineage import Wait, waits_of
from streamapp.services.plans import Plan
from streamapp.services.progress import rewound_shards
from streamapp.services.wording import amount
from streamapp.services.workers import live_workers


class Standing(Enum):
    """How far one shard has come."""

    CAUGHT_UP = "caught up"
    HELD = "read to its end, behind a held record"
    SUPERSEDED = "rewound again: a later rewind says where it goes"
    BEHIND = "behind"


@dataclass(frozen=True, slots=True)
class Catch:
    """How many shards a rewind moved, and how many of them are behind, hold records or were rewound again.

    `records` is the lag of those that are behind, None while a worker hasn't counted it. `workers` are
    the live ones that run the subscription.
    """

    subscription: str
    total: int
    behind: int
    held: int
    superseded: int
    records: int | None
    workers: int

    @property
    def done(self) -> bool:
        """Tell whether no shard is behind."""
        return self.behind == 0

    @property
    def under_way(self) -> bool:
        """Tell whether a shard is behind and there is a worker that may read it."""
        return self.behind > 0 and self.workers > 0

    def __str__(self) -> str:
        """Say it in a sentence or three."""
        said = f"{self.total - self.behind - self.superseded:,} of {amount(self.total, 'shard')} caught up."
        if self.behind and self.records is not None:
            said += f" {amount(self.records, 'record')} to go."
        if self.held:
            reads = "waits" if self.held == 1 else "wait"
            said += f" {self.held:,} of them {reads} for a held record: skip or redeliver it."
        if self.superseded:
            said += f" {amount(self.superseded, 'shard')} rewound again and not waited for any more."
        if self.behind and not self.workers:
            said += f" No live worker runs {self.subscription}: it goes on when one starts."
        return said


@dataclass(slots=True)
class Goal:
    """Where each moved shard has to come: the end of its log as it was before the rewind.

    As for `runconsumers --until-caught-up` a shard with held records counts once it was read to there,
    and so do the shards that wait for its end. Where ends are moments, the goal is the place of the first
    sample that had read all that was written before the rewind.
    """

    ends: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan) -> "Goal":
        """Remember the ends; ask before the plan is applied. Raises BrokerUnavailable."""
        moved = [line.checkpoint for line in plan.lines]
        rows = {
            row.key: row.pk for row in Checkpoint.objects.using(configuration().DATABASE).filter(pk__in=moved)
        }
        bounds = registry.broker(plan.broker).bounds(list(rows))
        return cls({rows[shard]: found.end for shard, found in bounds.items() if not found.is_moment})

    def look(self, rewind: Rewind) -> Catch:
        """Compare with what workers have stored since; three queries, and the broker isn't asked."""
        name, rows = rewind.subscription.name, _rows(rewind)
        waits = waits_of([row.checkpoint for row in rows])
        found = {row.pk: self._standing(row, rewind, waits) for row in rows}
        counts = Counter(found.values())
        behind = [row for row in rows if found[row.pk] is Standing.BEHIND]
        held, superseded = counts[Standing.HELD], counts[Standing.SUPERSEDED]
        workers = len(live_workers([name]))
        return Catch(name, len(rows), len(behind), held, superseded, _records(behind), workers)

    def _standing(self, row: Any, rewind: Rewind, waits: Mapping[int, Sequence[Wait]]) -> Standing:
        position = row.checkpoint.position
        if row.superseded:
            return Standing.SUPERSEDED
        if SHARD_END in (row.new_position, position):
            return Standing.CAUGHT_UP
        if any(wait.held is not None for wait in waits.get(row.checkpoint_id, ())):
            return Standing.HELD
        sample = _sample(row)
        end = self._end(row, rewind, sample)
        if end is None or row.applied_at is None:
            return Standing.BEHIND
        if position >= end:
            return Standing.CAUGHT_UP
        return Standing.HELD if row.holds and sample and sample.read_to >= end else Standing.BEHIND

    def _end(self, row: Any, rewind: Rewind, sample: Lag | None) -> int | None:
        end = self.ends.get(row.checkpoint_id)
        if end is None and sample is not None and _has_read_all(sample, rewind):
            end = self.ends[row.checkpoint_id] = sample.read_to
        return end


def _rows(rewind: Rewind) -> Sequence[Any]:
    holds = HeldRecord.objects.filter(checkpoint=OuterRef("checkpoint"))
    return list(rewound_shards(rewind).select_related("checkpoint__lag").annotate(holds=Exists(holds)))


def _sample(row: Any) -> Lag | None:
    """Return the sample of a shard, if it was taken after a worker applied the rewind."""
    sample: Lag | None = getattr(row.checkpoint, "lag", None)
    fresh = sample is not None and row.applied_at is not None and sample.sampled_at > row.applied_at
    return sample if fresh else None


def _has_read_all(sample: Lag, rewind: Rewind) -> bool:
    """Tell whether the oldest record that wasn't read yet was written after the rewind."""
    if sample.milliseconds is None:
        return False
    since = (sample.sampled_at - rewind.requested_at).total_seconds()
    return sample.milliseconds <= since * 1000


def _records(behind: Sequence[Any]) -> int | None:
    counted = [sample.records for row in behind if (sample := _sample(row)) is not None]
    known = [records for records in counted if records is not None]
    return sum(known) if len(known) == len(behind) else None
