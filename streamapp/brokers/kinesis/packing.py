"""Positions of Kinesis as whole numbers.

In the order of the numbers: 0 is the oldest record kept; then come moments, in milliseconds; then
records, by sequence number and by the place inside an aggregated record; then SHARD_END. The number
of a record means *at* it, the next one *after* it and after the whole aggregate that it is part of.

A sequence number has up to 129 digits. Numbers of records start above that, so that a bare sequence
number can't be taken for one.
"""

import re
from dataclasses import dataclass

from streamapp.exceptions import InvalidPosition
from streamapp.positions import SHARD_END, Moment, parse

HORIZON = 0
UNIT = 10**18
"""How many numbers one sequence number has for the records inside of it; moments are below it."""
SEQUENCES = 10**129
RECORDS = SEQUENCES * UNIT
"""Where the numbers of records begin; they end below SHARD_END."""

FORMS = "horizon, a moment like 2026-11-01T00:00:00Z, a sequence number, or `after` and a sequence number"
_NAMED = {"horizon": HORIZON, "SHARD_END": SHARD_END}
_PLACE = re.compile(r"(?P<after>after )?(?P<sequence>[0-9]{1,129})(?:/(?P<part>[0-9]{1,6}))?")


@dataclass(frozen=True, slots=True)
class Place:
    """A record of a shard: at record `part` of its aggregate, or after the whole of it."""

    sequence: int
    part: int = 0
    after: bool = False

    def __str__(self) -> str:
        """Write the place for people."""
        if self.after:
            return f"after {self.sequence}"
        return f"{self.sequence}/{self.part}" if self.part else str(self.sequence)


def at(sequence: int, part: int = 0) -> int:
    """Return the number of a record. Raises ValueError for a sequence number of more than 129 digits."""
    if not 0 <= sequence < SEQUENCES:
        raise ValueError(f"{sequence} is not a sequence number of Kinesis.")
    return RECORDS + sequence * UNIT + part * 2


def after(position: int) -> int:
    """Return the number behind a record that is the last of its aggregate, or isn't part of one."""
    return position + 1


def moment(milliseconds: int) -> int:
    """Return the number of a moment; before 1970 is the oldest record kept."""
    return min(max(milliseconds, HORIZON), UNIT - 1)


def is_packed(number: int) -> bool:
    """Tell the number of a record from a bare sequence number."""
    return number >= RECORDS


def is_before(position: int, other: int) -> bool | None:
    """Tell whether one place lies in front of another; None for a record and a moment."""
    ends = {HORIZON, SHARD_END}
    if is_packed(position) != is_packed(other) and not ends & {position, other}:
        return None
    return position < other


def unpack(position: int) -> Place | Moment | None:
    """Return what a number means; None is the oldest record kept. SHARD_END has no place."""
    if is_packed(position):
        sequence, rest = divmod(position - RECORDS, UNIT)
        return Place(sequence, rest // 2, bool(rest % 2))
    return Moment(position) if position else None


def describe(position: int) -> str:
    """Write a number for people."""
    if position == SHARD_END:
        return "SHARD_END"
    return str(unpack(position) or "horizon")


def read(text: str) -> int:
    """Return the number that `describe` has written. Raises InvalidPosition."""
    if text in _NAMED:
        return _NAMED[text]
    if match := _PLACE.fullmatch(text):
        number = at(int(match["sequence"]), int(match["part"] or 0))
        return after(number) if match["after"] else number
    try:
        found = parse(text)
    except InvalidPosition:
        found = None
    if not isinstance(found, Moment):
        raise InvalidPosition(f"{text!r} is no place in a shard. Write {FORMS}.")
    return moment(found.milliseconds)
