"""How subscriptions fared over the last hour or day: what sparklines and plots are drawn from."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Trend

MINUTE = timedelta(minutes=1)


class Period(Enum):
    """What a plot reaches back over, and how many minutes one of its points stands for."""

    HOUR = ("hour", timedelta(hours=1), 1)
    DAY = ("day", timedelta(days=1), 5)

    @property
    def word(self) -> str:
        """Return its name in an address."""
        return str(self.value[0])

    @property
    def length(self) -> timedelta:
        """Return how far it reaches back."""
        length: timedelta = self.value[1]
        return length

    @property
    def step(self) -> timedelta:
        """Return the time of one point."""
        return MINUTE * int(self.value[2])

    @staticmethod
    def named(word: str) -> "Period":
        """Return the period of an address; the hour for any word that is none."""
        return next((period for period in Period if period.word == word), Period.HOUR)


@dataclass(frozen=True, slots=True)
class Minute:
    """One minute of a subscription; a lag is None where nobody knows it."""

    at: datetime
    handled: int
    records: int | None
    milliseconds: int | None


def minutes(subscriptions: Collection[int], period: Period) -> Mapping[int, Sequence[Minute]]:
    """Return the minutes that are stored, by subscription, the oldest first; one query."""
    rows = Trend.objects.using(configuration().DATABASE).filter(
        subscription__in=subscriptions, minute__gt=Now() - period.length
    )
    found: dict[int, list[Minute]] = {}
    columns = ("subscription_id", "minute", "handled", "records", "milliseconds")
    for subscription, *values in rows.order_by("minute").values_list(*columns):
        found.setdefault(subscription, []).append(Minute(*values))
    return found


def rate(minutes: Sequence[Minute], now: datetime) -> float | None:
    """Return the records handled in a second, over this minute and the one before; None if nothing is stored.

    `now` is the moment by the database's clock. Workers add to the minute about every 12 seconds.
    """
    this = now.replace(second=0, microsecond=0)
    lately = [minute.handled for minute in minutes if minute.at >= this - MINUTE]
    return sum(lately) / (MINUTE + (now - this)).total_seconds() if lately else None


def thinned(minutes: Iterable[Minute], period: Period) -> list[Minute]:
    """Put the minutes of each step of a period into one: what was handled is added, the highest lag stays."""
    steps: dict[int, list[Minute]] = {}
    for minute in minutes:
        steps.setdefault(int(minute.at.timestamp() // period.step.total_seconds()), []).append(minute)
    return [_together(some) for some in steps.values()]


def _together(some: Sequence[Minute]) -> Minute:
    return Minute(
        some[0].at,
        sum(minute.handled for minute in some),
        max((m.records for m in some if m.records is not None), default=None),
        max((m.milliseconds for m in some if m.milliseconds is not None), default=None),
    )
