"""Where checkpoints stood: the notes that their workers have written each minute."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import History
from streamapp.services.trends import Period

AT_LEAST_EVERY = timedelta(hours=1)
"""A shard that stands still gets a note so often."""


@dataclass(frozen=True, slots=True)
class Note:
    """A checkpoint as it was at a moment; it stood there until the next note. A lag may be unknown."""

    at: datetime
    position: int
    records: int | None
    milliseconds: int | None


def notes(checkpoints: Collection[int], period: Period) -> Mapping[int, Sequence[Note]]:
    """Return the notes of a period by checkpoint, oldest first, and those of the hour before it; one query.

    Of each step of the period the last one is returned.
    """
    begin = Now() - (period.length + AT_LEAST_EVERY)
    rows = History.objects.using(configuration().DATABASE).filter(
        checkpoint__in=checkpoints, sampled_at__gt=begin
    )
    columns = ("checkpoint_id", "sampled_at", "position", "records", "milliseconds")
    found: dict[int, dict[int, Note]] = {}
    for checkpoint, *values in rows.order_by("sampled_at").values_list(*columns):
        note = Note(*values)
        step = int(note.at.timestamp() // period.step.total_seconds())
        found.setdefault(checkpoint, {})[step] = note
    return {checkpoint: list(steps.values()) for checkpoint, steps in found.items()}
