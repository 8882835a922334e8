"""The first records at the new positions of a plan, for whoever may see records."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from streamapp.conf import configuration
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.models import Checkpoint
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.services.peek import first_record
from streamapp.services.plans import Line
from streamapp.services.shown import ShownRecord

AT_MOST = 10
SECONDS = 3.0
Look = Callable[[str, Shard, int], ShownRecord | None]


@dataclass(frozen=True, slots=True)
class Firsts:
    """Records by checkpoint; None where there is none. `note` says why others weren't looked at."""

    records: Mapping[int, ShownRecord | None] = field(default_factory=dict)
    note: str = ""


def first_records(
    subscription: str,
    lines: Sequence[Line],
    look: Look = first_record,
    clock: Callable[[], float] = time.monotonic,
) -> Firsts:
    """Look at the first record of the first ten lines, for about three seconds; then nothing more is asked.

    A broker that doesn't answer costs its records, not the review.
    """
    asked = [line for line in lines if line.new != SHARD_END][:AT_MOST]
    rows = Checkpoint.objects.using(configuration().DATABASE).in_bulk([line.checkpoint for line in asked])
    found: dict[int, ShownRecord | None] = {}
    until = clock() + SECONDS
    for line in asked:
        if clock() > until:
            return Firsts(found, "The broker takes its time: not all first records were looked at.")
        try:
            found[line.checkpoint] = look(subscription, rows[line.checkpoint].key, line.new)
        except (BrokerUnavailable, InvalidPosition) as error:
            return Firsts(found, f"First records can't be shown: {error}")
    note = f"Only the first records of the first {AT_MOST} shards of a page are looked at."
    return Firsts(found, note if len(lines) > len(asked) == AT_MOST else "")
