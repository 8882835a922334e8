"""What rows say of lineage: which shards are finished, whose children they are, and which have left."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F

from streamapp.models import Checkpoint, Lease
from streamapp.models.worker import WorkerState
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.store.clock import ClockNow

COLUMNS = ("stream", "shard", "incarnation", "pk", "parents", "position", "retired_at")


@dataclass(frozen=True, slots=True)
class Standing:
    """One row. `finished`: read to its end with everything settled. `retired`: its stream has lost it."""

    checkpoint: int
    parents: tuple[str, ...]
    finished: bool
    retired: bool


class LineageStore:
    """Reads and notes lineage. Each write is a conditional UPDATE of one row: they are rare."""

    def __init__(self, using: str) -> None:
        self._checkpoints = Checkpoint.objects.using(using)
        self._leases = Lease.objects.using(using)

    def standings(self, subscription: int) -> dict[Shard, Standing]:
        """Return what all rows of a subscription say."""
        # No model instances: every worker asks for all rows at every interval, maybe for ten thousand.
        rows = self._checkpoints.filter(subscription=subscription).values_list(*COLUMNS)
        return {
            Shard(stream, shard, incarnation): Standing(
                checkpoint, tuple(parents), position == SHARD_END, retired_at is not None
            )
            for stream, shard, incarnation, checkpoint, parents, position, retired_at in rows
        }

    def complete(self, parents: Mapping[int, Sequence[str]]) -> None:
        """Write parents that were found after their child's row was made."""
        for checkpoint, ids in parents.items():
            incomplete = self._checkpoints.filter(pk=checkpoint).exclude(parents=list(ids))
            incomplete.update(parents=list(ids), revision=F("revision") + 1)

    def retire(self, checkpoints: Collection[int]) -> set[int]:
        """Note that streams no longer have these shards; returns those that nobody had retired yet."""
        present = self._checkpoints.filter(retired_at=None)
        return {
            checkpoint
            for checkpoint in checkpoints
            if present.filter(pk=checkpoint).update(retired_at=ClockNow(), revision=F("revision") + 1)
        }

    def restore(self, checkpoints: Collection[int]) -> None:
        """Note that streams have these shards after all."""
        retired = self._checkpoints.filter(pk__in=checkpoints, retired_at__isnull=False)
        retired.update(retired_at=None, revision=F("revision") + 1)

    def is_read(self, subscription: int) -> bool:
        """Tell whether a live worker holds any shard of the subscription."""
        leases = self._leases.filter(checkpoint__subscription=subscription)
        return leases.filter(worker__state=WorkerState.ALIVE).exists()

    def reopen(self, positions: Mapping[int, int]) -> None:
        """Move rows for a replay and raise their epochs, unless they were moved there already.

        What they remember as settled is forgotten: it is stored as distances from the position, and a
        replay delivers all, also from where the row stands.
        """
        for checkpoint, position in positions.items():
            others = self._checkpoints.filter(pk=checkpoint).exclude(position=position, settled="")
            others.update(position=position, settled="", epoch=F("epoch") + 1, saved_at=ClockNow())
