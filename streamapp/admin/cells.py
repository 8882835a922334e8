"""Cells of the lists: times with zone and age, positions, states."""

from datetime import datetime
from urllib.parse import urlencode

from django.utils.html import format_html, format_html_join

from streamapp.services.lag import ShardLag
from streamapp.services.places import described
from streamapp.services.wording import moment, span

EMPTY = "–"
LONGEST, ENDS = 24, 10


def time_with_age(value: datetime | None, now: datetime) -> str:
    """Show a moment with its zone, and first how long ago it was."""
    if value is None:
        return EMPTY
    passed = span((now - value).total_seconds())
    return format_html('{} ago<br><small class="streamapp-nowrap">{}</small>', passed, moment(value))


def age(value: datetime | None, now: datetime) -> str:
    """Show how long ago a moment was, and the moment where the pointer rests."""
    if value is None:
        return EMPTY
    passed = span((now - value).total_seconds())
    return format_html('<span class="streamapp-nowrap" title="{}">{}</span>', moment(value), passed)


def time(value: datetime | None) -> str:
    """Show a moment with its zone."""
    return EMPTY if value is None else format_html('<span class="streamapp-nowrap">{}</span>', moment(value))


def position(broker: str, number: int) -> str:
    """Write a position as its broker writes it; a sequence number of Kinesis may break anywhere."""
    return format_html('<span class="streamapp-position">{}</span>', described(broker, number))


def short_position(broker: str, number: int) -> str:
    """Write a position for a list: of a sequence number both ends, and the whole where the pointer rests."""
    whole = described(broker, number)
    return format_html('<span class="streamapp-nowrap" title="{}">{}</span>', whole, shortened(whole))


def shortened(text: str) -> str:
    """Cut the middle out of a long number."""
    return text if len(text) <= LONGEST else f"{text[:ENDS]}…{text[-ENDS:]}"


def lag(value: ShardLag | None) -> str:
    """Show how far behind a shard is, and how old that figure is."""
    if value is None:
        return EMPTY
    sampled = "" if value.age_seconds is None else f"{span(value.age_seconds)} ago"
    figures = format_html_join(
        ", ", '<span class="streamapp-nowrap">{}</span>', ((f,) for f in value.figures)
    )
    return format_html('{}<br><small class="streamapp-nowrap">{}</small>', figures or "?", sampled)


def link(url: str, text: str, **query: str) -> str:
    """Lead somewhere."""
    return format_html('<a href="{}{}">{}</a>', url, f"?{urlencode(query)}" if query else "", text)


def state(kind: str, text: str) -> str:
    """Show a state as a coloured mark; `kind` is good, warn, bad or idle. The text says it without colour."""
    return format_html('<span class="streamapp-state streamapp-{}">{}</span>', kind, text)
