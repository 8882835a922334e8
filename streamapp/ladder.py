"""What is mounted for records whose handler fails: in place, by copy, and at last to the dead letters."""

from dataclasses import dataclass
from enum import StrEnum

DATABASE = "database"
SOURCE = "source"
LONGEST_SECONDS = 10 * 365 * 86_400.0
"""Of a wait: moments far behind it are none that a database can store and Python can read."""


class Treatment(StrEnum):
    """What a class of exceptions leads to."""

    RETRYABLE = "retryable"
    FATAL = "fatal"
    IGNORED = "ignored"


def doubled(first: float, most: float, attempt: int) -> float:
    """Return the seconds to wait after an attempt, counted from 1: twice as many each time up to `most`."""
    return min(first * 2.0 ** min(attempt - 1, 32), most)


@dataclass(frozen=True, slots=True)
class Backoff:
    """A wait that doubles from `first` to `most` seconds."""

    first: float
    most: float

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after the given attempt, counted from 1, has failed."""
        return doubled(self.first, self.most, attempt)


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failing record is handled in place, and how long to wait between the attempts.

    The wait doubles from `first` to `most` seconds. The first delivery counts as an attempt. Failures
    of another class of exceptions have a count of their own. The listed class nearest to an exception
    says how it is treated; where classes are listed as retryable, all others are fatal.
    """

    attempts: int
    first: float
    most: float
    retryable: tuple[type[BaseException], ...] = ()
    fatal: tuple[type[BaseException], ...] = ()
    ignored: tuple[type[BaseException], ...] = ()

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after the given attempt, counted from 1, has failed."""
        return doubled(self.first, self.most, attempt)

    def treatment(self, error: BaseException) -> Treatment:
        """Return what an exception leads to."""
        listed = {kind: treatment for treatment in Treatment for kind in getattr(self, treatment)}
        nearest = (listed[kind] for kind in type(error).__mro__ if kind in listed)
        return next(nearest, Treatment.FATAL if self.retryable else Treatment.RETRYABLE)


@dataclass(frozen=True, slots=True)
class Limit:
    """How many dead letters are too many: `letters` among the last `records` that came to an outcome."""

    letters: int
    records: int

    def __str__(self) -> str:
        if self.letters == self.records:
            return f"{self.letters} records in a row"
        return f"{self.letters} of the last {self.records} records"


@dataclass(frozen=True, slots=True)
class Ladder:
    """What follows when the attempts in place are used up; mounted by MAX_ATTEMPTS.

    `most_attempts` counts all calls of the handler for a record, those for its copies included. `copies`
    and `letters` name where they go: `DATABASE`, a stream, or for copies `SOURCE`. `backoff` is how long
    a copy in the database waits.
    """

    most_attempts: int
    copies: str = DATABASE
    backoff: Backoff = Backoff(10.0, 600.0)
    letters: str = DATABASE
    limit: Limit | None = None
