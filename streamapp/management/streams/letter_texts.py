"""Records set aside for a terminal."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from streamapp.management.streams.table import table
from streamapp.services.payloads import harmless
from streamapp.services.set_aside.listing import Kind
from streamapp.services.wording import moment

LONGEST = 60
INDENT = "    "


def as_table(kind: Kind, letters: Sequence[Mapping[str, Any]]) -> str:
    """Return one line a record; of a long reason the beginning."""
    names = ("id", "subscription", "place", *kind.short, kind.since, "edited_by", "reason")
    columns = [(name, *COLUMNS[name]) for name in names if name in COLUMNS]
    rows = [[cell(letter[name]) for name, _, cell in columns] for letter in letters]
    return table([heading for _, heading, _ in columns], rows)


def as_paragraph(kind: Kind, letter: Mapping[str, Any]) -> str:
    """Return a record whole."""
    lines = [
        f"{_number(letter['id'])}  {letter['subscription']}  {letter['place']}",
        f"  {kind.since.replace('_', ' ')} {_time(letter[kind.since])}{_attempts(letter)}",
        *_failure(letter),
        f"  key: {letter['key']}",
        *(f"  {name}: {value}" for name, value in letter["headers"].items()),
        *_block("value", letter["value"]),
    ]
    lines += [f"  ! {letter['problem']}"] if letter["problem"] else []
    lines += _block(f"edited copy, by {letter['edited_by']}", letter["edited"] or "")
    return harmless("\n".join(lines))


def _attempts(letter: Mapping[str, Any]) -> str:
    if "attempts" in letter:
        return f" after {_number(letter['attempts'])} attempts"
    if "attempt" in letter:
        return f", attempt {letter['attempt']} due at {_due(letter['due_at'])}"
    return ""


def _failure(letter: Mapping[str, Any]) -> list[str]:
    lines = [f"  reason: {letter['reason']}"]
    if "first_failed_at" in letter:
        at = letter["origin"] or letter["place"]
        lines.insert(0, f"  first failed at {_time(letter['first_failed_at'])}, at {at}")
    if letter.get("held_reason"):
        lines.append(f"  held: {letter['held_reason']}")
    if "exception" in letter:
        lines += [f"  {letter['exception']}: {letter['message']}", *_block("trace", letter["trace"])]
    return lines


def _block(heading: str, text: str) -> list[str]:
    return [f"  {heading}:", *(f"{INDENT}{line}" for line in text.splitlines())] if text else []


def _number(number: int | None) -> str:
    return "?" if number is None else str(number)


def _time(value: datetime | None) -> str:
    return "?" if value is None else moment(value)


def _due(value: datetime | None) -> str:
    return "held" if value is None else moment(value)


def _edited(by: str) -> str:
    return "edited" if by else ""


def _short(text: str) -> str:
    line = harmless(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


COLUMNS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "id": ("NUMBER", _number),
    "subscription": ("SUBSCRIPTION", str),
    "place": ("PLACE", str),
    "attempts": ("ATTEMPTS", _number),
    "attempt": ("ATTEMPT", _number),
    "due_at": ("DUE AT", _due),
    "given_up_at": ("GIVEN UP AT", _time),
    "quarantined_at": ("QUARANTINED AT", _time),
    "delayed_at": ("DELAYED AT", _time),
    "edited_by": ("COPY", _edited),
    "reason": ("REASON", _short),
}
"""Headings and cells, by what is told of a record; what has none is left to `show`."""
