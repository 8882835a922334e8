"""Moments of targets: aware, past, and told in the chosen zone and in UTC."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from streamapp.exceptions import InvalidPosition
from streamapp.positions import EPOCH, Moment

UTC_NAME = "UTC"
FORM = "%Y-%m-%d %H:%M:%S"


def told(moment: Moment, zone: str) -> str:
    """Write a moment in a zone, and in UTC if that is another one."""
    aware = EPOCH + timedelta(milliseconds=moment.milliseconds)
    in_utc = f"{aware.strftime(FORM)} UTC"
    return (
        in_utc if zone == UTC_NAME else f"{aware.astimezone(ZoneInfo(zone)).strftime(FORM)} {zone} = {in_utc}"
    )


def refuse_future(moment: Moment) -> None:
    """Raise InvalidPosition for a moment that has not come yet."""
    now = Moment.of(datetime.now(UTC))
    if moment.milliseconds > now.milliseconds:
        raise InvalidPosition(
            f"{told(moment, UTC_NAME)} is in the future: it is {told(now, UTC_NAME)} now. Give a moment of "
            "the past."
        )
