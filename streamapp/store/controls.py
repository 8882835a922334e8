"""What operators have ordered, as the workers read it each second, and what workers note of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import F

from streamapp.models import Checkpoint, HeldRecord, Pause, SkippedRecord, SkipResult, Worker
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction


@dataclass(frozen=True, slots=True)
class Told:
    """Who has ordered something, and why."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkipOrder:
    """A record to settle in its handler's stead. `passed`: the stored checkpoint lies behind it."""

    pk: int
    checkpoint: int
    position: int
    told: Told
    applied: bool
    passed: bool


@dataclass(frozen=True, slots=True)
class Orders:
    """All that is in effect for one subscription, and whether the worker that asks is to hold nothing."""

    paused: Told | None = None
    paused_shards: Mapping[int, Told] = field(default_factory=dict)
    skips: tuple[SkipOrder, ...] = ()
    drained: Told | None = None

    def is_paused(self, checkpoint: int) -> bool:
        """Tell whether nothing of a shard may be handled."""
        return bool(self.drained or self.paused) or checkpoint in self.paused_shards

    def skipped(self, checkpoint: int) -> frozenset[int]:
        """Return the records of a shard that aren't to be handled."""
        mine = (skip for skip in self.skips if skip.checkpoint == checkpoint and not skip.passed)
        return frozenset(skip.position for skip in mine)


class ControlStore:
    """Reads orders and notes what came of them."""

    def __init__(self, using: str) -> None:
        self._using = using
        self._skipped = SkippedRecord.objects.using(using)

    def read(self, subscription: str, worker: UUID) -> Orders:
        """Return what is in effect: three queries of few rows, whatever the number of shards."""
        pauses = Pause.objects.using(self._using).filter(subscription__name=subscription)
        told = {row.checkpoint_id: Told(row.paused_by, row.reason) for row in pauses}
        shards = {checkpoint: why for checkpoint, why in told.items() if checkpoint is not None}
        return Orders(told.get(None), shards, self._skips(subscription), self._drained(worker))

    def applied(self, worker: UUID, skips: Collection[SkipOrder], epochs: Mapping[int, int]) -> None:
        """Note that records were settled in their handlers' stead, if their epochs are still these."""
        with short_transaction(self._using):
            stored = Checkpoint.objects.using(self._using).filter(id__in={skip.checkpoint for skip in skips})
            mine = {pk for pk, epoch in stored.values_list("id", "epoch") if epochs.get(pk) == epoch}
            for skip in skips:
                if skip.checkpoint in mine:
                    held = HeldRecord.objects.using(self._using).filter(checkpoint=skip.checkpoint)
                    held.filter(position=skip.position).delete()
                    unseen = self._skipped.filter(pk=skip.pk, applied_at=None)
                    unseen.update(applied_at=ClockNow(), applied_by=worker)

    def end_passed(self, subscription: str) -> None:
        """End the orders whose records the stored checkpoints have passed: they are never read again."""
        open_ones = self._skipped.filter(checkpoint__subscription__name=subscription, ended_at=None)
        passed = open_ones.filter(position__lt=F("checkpoint__position")).values("pk")
        ended = self._skipped.filter(pk__in=list(passed.values_list("pk", flat=True)), ended_at=None)
        ended.filter(applied_at=None).update(ended_at=ClockNow(), result=SkipResult.SETTLED)
        ended.exclude(applied_at=None).update(ended_at=ClockNow(), result=SkipResult.SKIPPED)

    def _skips(self, subscription: str) -> tuple[SkipOrder, ...]:
        rows = self._skipped.filter(checkpoint__subscription__name=subscription, ended_at=None)
        columns = ("pk", "checkpoint", "position", "asked_by", "reason", "applied_at", "checkpoint__position")
        return tuple(
            SkipOrder(pk, checkpoint, position, Told(by, reason), applied is not None, stored > position)
            for pk, checkpoint, position, by, reason, applied, stored in rows.values_list(*columns)
        )

    def _drained(self, worker: UUID) -> Told | None:
        drained = Worker.objects.using(self._using).filter(pk=worker, drained_at__isnull=False)
        row = drained.values_list("drained_by", "drain_reason").first()
        return None if row is None else Told(*row)
