"""Skips: the trail of what retention took before it was read."""

from dataclasses import dataclass

from streamapp.models import Skip
from streamapp.store.clock import ClockNow


@dataclass(frozen=True, slots=True)
class Skipped:
    """Reading of a shard that went on elsewhere; `records` is None where positions don't count them."""

    checkpoint: int
    epoch: int
    old: int
    new: int
    records: int | None
    policy: str


class SkipStore:
    """Adds to the trail."""

    def __init__(self, using: str) -> None:
        self._using = using

    def add(self, skipped: Skipped) -> None:
        """Write it down before reading goes on; once, however often it is tried."""
        row = Skip(
            checkpoint_id=skipped.checkpoint,
            epoch=skipped.epoch,
            old_position=skipped.old,
            new_position=skipped.new,
            records=skipped.records,
            policy=skipped.policy,
            skipped_at=ClockNow(),
        )
        Skip.objects.using(self._using).bulk_create([row], ignore_conflicts=True)
