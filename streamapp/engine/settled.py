"""Which records behind a checkpoint are settled, and how that is stored beside it.

Only delivered records are known, so a range means: every record from its first to its last one.
Numbers in between that no record has are no work, now or later.
"""

import logging
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from streamapp.observability.logs import Fields
from streamapp.records import Shard
from streamapp.store.checkpoints import Place

logger = logging.getLogger("streamapp.settled")
MOST_RANGES = 500
"""With more ranges than this a shard is paused; what was read already may add a poll's worth."""


class Range(NamedTuple):
    """The positions of the first and the last of settled records that follow one another."""

    first: int
    last: int


class Ranges:
    """Settled records in order, never touching one another."""

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self._ranges = list(ranges)

    def __bool__(self) -> bool:
        return bool(self._ranges)

    def __len__(self) -> int:
        return len(self._ranges)

    def __iter__(self) -> Iterator[Range]:
        return iter(self._ranges)

    def __contains__(self, position: int) -> bool:
        place = bisect_right(self._ranges, position, key=lambda each: each.first)
        return place > 0 and position <= self._ranges[place - 1].last

    def since(self, position: int) -> "Ranges":
        """Return what of them lies at a position or behind it."""
        kept = (each for each in self._ranges if each.last >= position)
        return Ranges(Range(max(each.first, position), each.last) for each in kept)


NONE = Ranges()


def written(ranges: Iterable[Range], checkpoint: int) -> str:
    """Return the stored form: distances, so that long numbers don't repeat. Nothing settled is no text."""
    parts, place = [], checkpoint
    for first, last in ranges:
        parts.append(f"{first - place:x}+{last - first:x}")
        place = last
    return ",".join(parts)


def read(text: str, checkpoint: int) -> Ranges:
    """Read the stored form. Raises ValueError for a text that `written` doesn't write."""
    ranges, place = [], checkpoint
    for part in text.split(",") if text else ():
        distance, _, length = part.partition("+")
        first = place + int(distance, 16)
        if first < place or int(length, 16) < 0:
            raise ValueError(f"{part!r} doesn't lie behind what comes before it.")
        place = first + int(length, 16)
        ranges.append(Range(first, place))
    return Ranges(ranges)


def recalled(shard: Shard, place: Place) -> Ranges:
    """Return what a row remembers as settled; of what can't be read nothing is, and all comes again."""
    try:
        return read(place.settled, place.position)
    except ValueError as error:
        fields = Fields(shard=shard, position=place.position, error=error)
        logger.warning("Can't read what is settled behind the checkpoint, all of it comes again. %s", fields)
        return NONE
