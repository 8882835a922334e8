"""Samples of the lag: one row a shard, written over and over."""

from collections.abc import Sequence
from dataclasses import dataclass

from streamapp.models import Lag
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction

COLUMNS = ("read_to", "records", "milliseconds", "sampled_at")


@dataclass(frozen=True, slots=True)
class Sample:
    """How far a shard is behind: `records` from its watermark on, `milliseconds` of its reading."""

    checkpoint: int
    read_to: int
    records: int | None
    milliseconds: int | None


class LagStore:
    """Writes what the samplers of all workers see."""

    def __init__(self, using: str) -> None:
        self._using = using

    def write(self, samples: Sequence[Sample]) -> None:
        """Put samples in the place of earlier ones; the database's clock dates them.

        One transaction, and on PostgreSQL one statement. Nothing checks the lease: a worker that has
        just lost a shard may write one more sample, which the next one of the new owner replaces. Rows
        are locked in the order of their checkpoints.
        """
        rows = [
            Lag(
                checkpoint_id=sample.checkpoint,
                read_to=sample.read_to,
                records=sample.records,
                milliseconds=sample.milliseconds,
                sampled_at=ClockNow(),
            )
            for sample in sorted(samples, key=lambda sample: sample.checkpoint)
        ]
        with short_transaction(self._using):
            Lag.objects.using(self._using).bulk_create(
                rows, update_conflicts=True, unique_fields=["checkpoint"], update_fields=COLUMNS
            )
