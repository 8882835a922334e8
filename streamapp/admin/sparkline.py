"""Small pictures in a row of figures, drawn by the server as SVG."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils.html import format_html
from django.utils.translation import gettext as _

from streamapp.services.trends import MINUTE, Minute, Period
from streamapp.services.wording import amount, span

WIDTH, HEIGHT = 120, 24
GAP = 3 * MINUTE
"""After so long without a point the line is broken."""


def sparkline(minutes: Sequence[Minute], now: datetime, period: Period = Period.HOUR) -> str:
    """Draw the lag: in records where each minute knows them, else in time; nothing if there is no point."""
    counted = all(minute.records is not None for minute in minutes)
    values = [(m.at, m.records if counted else m.milliseconds) for m in minutes]
    points = [(at, value) for at, value in values if value is not None]
    if not points:
        return ""
    highest = max(value for _at, value in points)
    told = amount(highest, "record") if counted else span(highest / 1000)
    label = _("Lag over the last %(period)s, at most %(highest)s") % {"period": period.word, "highest": told}
    return format_html(
        '<svg class="streamapp-spark" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" '
        'aria-label="{}"><title>{}</title><path d="{}"/></svg>',
        WIDTH,
        HEIGHT,
        label,
        label,
        _path(points, highest, now, period.length),
    )


def _path(points: Sequence[tuple[datetime, int]], highest: int, now: datetime, length: timedelta) -> str:
    begin, drawn, last = now - length, [], None
    for at, value in points:
        x = WIDTH * max(0.0, (at - begin) / length)
        y = HEIGHT - 1 - (HEIGHT - 2) * (value / highest if highest else 0.0)
        drawn.append(f"{'M' if last is None or at - last > GAP else 'L'}{x:.1f} {y:.1f}")
        last = at
    return "".join(drawn) if len(drawn) > 1 else f"{drawn[0]}h-3"
