"""What has happened to checkpoints since a rewind was reviewed, in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from streamapp.models import Checkpoint, RewoundShard, SkippedRecord


@dataclass(frozen=True, slots=True)
class Changes:
    """Looks for whatever raises a checkpoint's revision. `describe` writes a position for people."""

    using: str
    describe: Callable[[int], str]
    since: datetime

    def told(self, rows: Sequence[Checkpoint]) -> list[str]:
        """Return a phrase a checkpoint; two queries, whatever their number."""
        found = {**self._skips(rows), **self._rewinds(rows)}
        return [f"{row} {found.get(row.pk) or _otherwise(row)}" for row in rows]

    def _rewinds(self, rows: Sequence[Checkpoint]) -> dict[int, str]:
        moved = RewoundShard.objects.using(self.using).filter(
            checkpoint__in=rows, rewind__requested_at__gte=self.since
        )
        return {
            each.checkpoint_id: f"was moved to {self.describe(each.new_position)} by rewind {each.rewind_id}"
            for each in moved.order_by("id")
        }

    def _skips(self, rows: Sequence[Checkpoint]) -> dict[int, str]:
        skipped = SkippedRecord.objects.using(self.using).filter(
            checkpoint__in=rows, asked_at__gte=self.since
        )
        return {
            each.checkpoint_id: f"had its record at {self.describe(each.position)} skipped by {each.asked_by}"
            for each in skipped.order_by("id")
        }


def _otherwise(row: Checkpoint) -> str:
    if row.retired_at:
        return "has left its stream"
    return "was changed by a split or merge, or by an action that had begun before"
