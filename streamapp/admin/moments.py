"""Moments as operators type them, in a zone that they choose."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from streamapp.exceptions import InvalidPosition
from streamapp.positions import Moment


def aware(text: str, zone: ZoneInfo | None) -> Moment:
    """Read a date and time, which means the zone unless it has an offset of its own.

    Raises InvalidPosition for what is no time, has no zone, or doesn't exist or exists twice in the zone
    because clocks are changed.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidPosition(f"{text!r} is no date and time. Write it as 2026-11-01 03:00.") from error
    if moment.tzinfo is not None:
        return Moment.of(moment)
    if zone is None:
        raise InvalidPosition(f"{text!r} has no time zone. Choose one beside it.")
    return Moment.of(_placed(moment, zone))


def _placed(naive: datetime, zone: ZoneInfo) -> datetime:
    first, second = naive.replace(tzinfo=zone), naive.replace(tzinfo=zone, fold=1)
    Moment.of(first)  # refuses what no calendar has in UTC
    if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != naive:
        raise InvalidPosition(f"{naive} doesn't exist in {zone}: clocks are put forward there.")
    if first.utcoffset() != second.utcoffset():
        choices = " or ".join(moment.isoformat() for moment in (first, second))
        raise InvalidPosition(f"{naive} exists twice in {zone}: write {choices}.")
    return first
