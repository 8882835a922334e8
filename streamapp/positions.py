"""Positions as people write them: in settings, commands, the admin and handlers.

A position names a place without a broker at hand. A broker resolves it to one number a shard, the
next record to read; engine and store deal in those numbers only.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from streamapp.exceptions import InvalidPosition
from streamapp.records import Shard

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_MOMENT, LAST_MOMENT = (
    (datetime(year, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1) for year in (2, 9999)
)
SHARD_END = 10**148
"""Behind every record of a closed shard: it was read to its end and nothing will come any more."""


@dataclass(frozen=True, slots=True)
class Earliest:
    """The oldest record that the log keeps."""

    def __str__(self) -> str:
        return "earliest"


@dataclass(frozen=True, slots=True)
class Latest:
    """The end of the log: only new records."""

    def __str__(self) -> str:
        return "latest"


@dataclass(frozen=True, slots=True)
class At:
    """One record of one shard; `stream` is None where the subscription has one stream only."""

    shard: str
    number: int
    stream: str | None = None

    def names(self, shard: Shard) -> bool:
        """Tell whether the position is one of that shard."""
        return shard.id == self.shard and self.stream in (None, shard.stream)

    def __str__(self) -> str:
        return f"{self.stream}/{self.shard}@{self.number}" if self.stream else f"{self.shard}@{self.number}"


@dataclass(frozen=True, slots=True)
class Moment:
    """In every shard the first record that is not older; a shard without one: its end at that moment."""

    milliseconds: int

    @classmethod
    def of(cls, moment: "int | datetime") -> "Moment":
        """Take milliseconds since the epoch or an aware datetime. Raises InvalidPosition."""
        if isinstance(moment, int):
            return cls(_told(moment, moment))
        if moment.tzinfo is None:
            raise InvalidPosition(f"{moment.isoformat()} has no time zone. Give an aware datetime.")
        return cls(_told((moment - EPOCH) // timedelta(milliseconds=1), moment.isoformat()))

    def __str__(self) -> str:
        moment = EPOCH + timedelta(milliseconds=self.milliseconds)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _told(milliseconds: int, moment: object) -> int:
    """Return the milliseconds of a moment; InvalidPosition if it can't be told in every time zone."""
    if not FIRST_MOMENT <= milliseconds < LAST_MOMENT:
        raise InvalidPosition(f"{moment} is outside of the years 2 to 9998. Give another moment.")
    return milliseconds


@dataclass(frozen=True, slots=True)
class Ago:
    """So long before the moment at which the position is resolved."""

    seconds: int

    def moment(self, now: datetime) -> Moment:
        """Return the moment that is meant at `now`, which is aware; InvalidPosition if no calendar has it."""
        try:
            return Moment.of(now - timedelta(seconds=self.seconds))
        except OverflowError as error:
            raise InvalidPosition(f"{self} is before the year 1. Write a later moment.") from error

    def __str__(self) -> str:
        for unit, size in reversed(UNITS.items()):
            if self.seconds % size == 0:
                return f"-{self.seconds // size}{unit}"
        raise AssertionError("a second divides every duration")


Position = Earliest | Latest | At | Moment | Ago
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
FORMS = "earliest, latest, 3@1200, orders/3@1200, 2026-11-01T00:00:00Z or -7d"

_AT = re.compile(r"(?:(?P<stream>[^/@\s]+)/)?(?P<shard>[^/@\s]+)@(?P<number>\d{1,150})")
_AGO = re.compile(r"-(?P<count>\d{1,12})(?P<unit>[smhd])")


def parse(text: str) -> Position:
    """Read a position from its text form; `str()` of the result is that form again.

    Raises InvalidPosition with the forms that exist.
    """
    text = text.strip()
    if text in ("earliest", "latest"):
        return Earliest() if text == "earliest" else Latest()
    if match := _AT.fullmatch(text):
        return At(match["shard"], int(match["number"]), match["stream"])
    if match := _AGO.fullmatch(text):
        return Ago(int(match["count"]) * UNITS[match["unit"]])
    return _parse_moment(text)


def _parse_moment(text: str) -> Moment:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidPosition(f"{text!r} is not a position. Write one of: {FORMS}.") from error
    if moment.tzinfo is None:
        forms = f"{moment.isoformat()}Z for UTC, or with another zone {moment.isoformat()}+01:00"
        raise InvalidPosition(f"{text!r} has no time zone. Write {forms}.")
    return Moment.of(moment)


class KafkaPosition:
    """The positions of a Kafka subscription, for handlers and settings."""

    @staticmethod
    def earliest() -> Earliest:
        """Resume at the oldest record kept."""
        return Earliest()

    @staticmethod
    def latest() -> Latest:
        """Resume at the end: only new records."""
        return Latest()

    @staticmethod
    def offset(partition: int, offset: int) -> At:
        """Resume at `offset` on one partition."""
        return At(str(partition), offset)

    @staticmethod
    def topic_offset(topic: str, partition: int, offset: int) -> At:
        """Resume at `offset` on one partition of one topic, for a subscription to several."""
        return At(str(partition), offset, topic)

    @staticmethod
    def timestamp(moment: int | datetime) -> Moment:
        """Resume in every partition at the first record not before `moment`.

        `moment` is milliseconds since the epoch or an aware datetime. A partition without such a
        record resumes at its end, fixed as a number at that moment.
        """
        return Moment.of(moment)


class KinesisPosition:
    """The positions of a Kinesis subscription, for handlers and settings."""

    @staticmethod
    def horizon() -> Earliest:
        """Resume at the oldest record kept."""
        return Earliest()

    @staticmethod
    def latest() -> Latest:
        """Resume at the tip: only new records. It is stored as the moment at which it was taken."""
        return Latest()

    @staticmethod
    def timestamp(moment: int | datetime) -> Moment:
        """Resume in every shard at the first record that arrived at `moment` or later.

        `moment` is milliseconds since the epoch or an aware datetime.
        """
        return Moment.of(moment)

    @staticmethod
    def sequence(shard: str, number: int) -> At:
        """Resume at exactly the record with that sequence number, on that shard."""
        return At(shard, number)
