"""How times, spans and numbers are written for operators, the same in the admin and in commands."""

from datetime import datetime

from django.utils import timezone

STEPS = (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1))


def moment(value: datetime) -> str:
    """Write an aware moment in the current time zone, with the zone's name."""
    return timezone.localtime(value).strftime("%Y-%m-%d %H:%M:%S %Z")


def span(seconds: float) -> str:
    """Write a span with its two largest units: `3 s`, `2 min 5 s`, `4 d 1 h`; never negative."""
    whole = max(int(seconds), 0)
    for unit, size, smaller, rest in STEPS:
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // rest} {smaller}"
    return f"{whole} s"


def amount(number: int, unit: str) -> str:
    """Write a number with its unit: `1 record`, `12,400 records`."""
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"
