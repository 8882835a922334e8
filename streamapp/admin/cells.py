"""Cells of the lists: times with zone and age, positions, states."""

from datetime import datetime

from django.utils.html import format_html

from streamapp import registry
from streamapp.exceptions import ConfigurationError
from streamapp.services.wording import moment, span

EMPTY = "–"


def time_with_age(value: datetime | None, now: datetime) -> str:
    """Show a moment with its zone, and first how long ago it was."""
    if value is None:
        return EMPTY
    age = span((now - value).total_seconds())
    return format_html('{} ago<br><small class="streamapp-nowrap">{}</small>', age, moment(value))


def time(value: datetime | None) -> str:
    """Show a moment with its zone."""
    return EMPTY if value is None else format_html('<span class="streamapp-nowrap">{}</span>', moment(value))


def position(broker: str, number: int) -> str:
    """Write a position as its broker writes it; as a plain number if the settings lack the broker."""
    try:
        return registry.broker(broker).describe(number)
    except ConfigurationError:
        return str(number)


def state(kind: str, text: str) -> str:
    """Show a state as a coloured mark; `kind` is good, warn, bad or idle. The text says it without colour."""
    return format_html('<span class="streamapp-state streamapp-{}">{}</span>', kind, text)
