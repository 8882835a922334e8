"""What the plots show, as plain values: lag, rate and positions over the last hour or day."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _

from streamapp.services.past import Note, notes
from streamapp.services.places import distance
from streamapp.services.trends import Minute, Period, minutes, thinned

Values = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: a value for each of the chart's times, None where there is none."""

    label: str
    values: Values


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart. `times` are seconds since the epoch.

    `stays` tells that a value holds until the next one; otherwise a gap in the times is one in the line.
    """

    title: str
    unit: str
    stays: bool
    times: tuple[int, ...]
    lines: tuple[Line, ...]

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to draw."""
        return all(value is None for line in self.lines for value in line.values)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


def subscription_charts(subscription: int, period: Period, worst: Sequence[Any]) -> list[Chart]:
    """Return lag and rate of a subscription, and how far these checkpoints of it came; two queries."""
    steps = thinned(minutes([subscription], period).get(subscription, ()), period)
    return _drawn(
        _trend(_("Lag in records"), _("records"), steps, [step.records for step in steps]),
        _trend(_("Lag in seconds"), "s", steps, [_seconds(step.milliseconds) for step in steps]),
        _trend(_("Rate, records a second"), "/s", steps, _rates(steps, period)),
        _distances(worst, period),
    )


def shard_charts(row: Any, period: Period) -> list[Chart]:
    """Return lag and position of one checkpoint; select its subscription with it; one query."""
    own = notes([row.pk], period).get(row.pk, ())
    return _drawn(
        _stays(_("Position"), "", own, [_number(row, note) for note in own]),
        _stays(_("Lag in records"), _("records"), own, [note.records for note in own]),
        _stays(_("Lag in seconds"), "s", own, [_seconds(note.milliseconds) for note in own]),
    )


def _drawn(*charts: Chart) -> list[Chart]:
    return [chart for chart in charts if not chart.is_empty]


def _trend(title: str, unit: str, steps: Sequence[Minute], values: Sequence[float | None]) -> Chart:
    times = tuple(int(step.at.timestamp()) for step in steps)
    return Chart(title, unit, False, times, (Line(title, tuple(values)),))


def _stays(title: str, unit: str, own: Sequence[Note], values: Sequence[float | None]) -> Chart:
    times = tuple(int(note.at.timestamp()) for note in own)
    return Chart(title, unit, True, times, (Line(title, tuple(values)),))


def _rates(steps: Sequence[Minute], period: Period) -> list[float | None]:
    """Leave the last step out: it isn't over, so it would look like a fall."""
    seconds = period.step.total_seconds()
    return [*(step.handled / seconds for step in steps[:-1]), None] if steps else []


def _distances(rows: Sequence[Any], period: Period) -> Chart:
    """Draw how many records each shard has passed; a line that falls is a rewind."""
    found = notes([row.pk for row in rows], period)
    passed = {row: dict(_passed(row, found.get(row.pk, ()))) for row in rows}
    times = tuple(sorted({at for points in passed.values() for at in points}))
    lines = tuple(Line(str(row), tuple(points.get(at) for at in times)) for row, points in passed.items())
    return Chart(_("Records passed, by shard"), _("records"), True, times, lines)


def _passed(row: Any, own: Sequence[Note]) -> Iterable[tuple[int, int | None]]:
    broker = row.subscription.broker
    return ((int(note.at.timestamp()), distance(broker, own[0].position, note.position)) for note in own)


def _number(row: Any, note: Note) -> int | None:
    """Return a position as a number to draw, where positions count records."""
    return distance(row.subscription.broker, 0, note.position)


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
