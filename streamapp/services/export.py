"""Checkpoints as lines of a file that a rewind takes again."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from streamapp.exceptions import InvalidPosition
from streamapp.models import Checkpoint
from streamapp.positions import Moment
from streamapp.services.history import refuse_unstarted, stood_at
from streamapp.services.places import described
from streamapp.services.selection import present
from streamapp.services.targets.moments import UTC_NAME, told


@dataclass(frozen=True, slots=True)
class Exported:
    """Lines `topic,partition,offset` without an end of the last one, and the shards that have none.

    On Kinesis a line is the stream, the shard and the position as commands show it.
    """

    text: str
    missing: tuple[str, ...]


def export(subscription: str, moment: Moment | None = None) -> Exported:
    """Write down where the present shards stand, or stood at a moment; the broker isn't asked.

    Raises InvalidPosition where no checkpoint is known, UnknownSubscription.
    """
    rows = present(subscription).select_related("subscription")
    # A stream that was made anew may have rows of both lives until a worker has seen it: the later counts.
    shards = {str(row): row for row in rows}
    if not shards:
        refuse_unstarted(subscription)
    stood = {row.pk: row.position for row in shards.values()} if moment is None else stood_at(rows, moment)
    lines = [(row, at) for row in shards.values() if (at := stood.get(row.pk)) is not None]
    if moment is not None and not lines:
        raise InvalidPosition(
            f"No checkpoint of {subscription} is known at {told(moment, UTC_NAME)} or before. Workers write "
            "one a minute while they run. Choose a later moment."
        )
    return Exported(_text(lines), tuple(name for name, row in shards.items() if stood.get(row.pk) is None))


def _text(lines: Iterable[tuple[Checkpoint, int]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(
        (row.stream, row.shard, described(row.subscription.broker, position)) for row, position in lines
    )
    return written.getvalue().rstrip("\n")
