"""Dead letters for a terminal."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from streamapp.management.streams.table import table
from streamapp.services.payloads import harmless
from streamapp.services.wording import moment

LONGEST = 60
INDENT = "    "


def as_table(letters: Sequence[Mapping[str, Any]]) -> str:
    """Return one line a letter; of a long reason the beginning."""
    rows = [
        (
            _number(letter["id"]),
            letter["subscription"],
            letter["place"],
            _number(letter["attempts"]),
            _time(letter["given_up_at"]),
            "edited" if letter["edited_by"] else "",
            _short(letter["reason"]),
        )
        for letter in letters
    ]
    return table(("NUMBER", "SUBSCRIPTION", "PLACE", "ATTEMPTS", "GIVEN UP AT", "COPY", "REASON"), rows)


def as_paragraph(letter: Mapping[str, Any]) -> str:
    """Return a letter whole."""
    lines = [
        f"{_number(letter['id'])}  {letter['subscription']}  {letter['place']}",
        f"  given up at {_time(letter['given_up_at'])} after {_number(letter['attempts'])} attempts",
        f"  first failed at {_time(letter['first_failed_at'])}, at {letter['origin'] or letter['place']}",
        f"  reason: {letter['reason']}",
        f"  {letter['exception']}: {letter['message']}",
        *_block("trace", letter["trace"]),
        f"  key: {letter['key']}",
        *(f"  {name}: {value}" for name, value in letter["headers"].items()),
        *_block("value", letter["value"]),
    ]
    lines += [f"  ! {letter['problem']}"] if letter["problem"] else []
    lines += _block(f"edited copy, by {letter['edited_by']}", letter["edited"] or "")
    return harmless("\n".join(lines))


def _block(heading: str, text: str) -> list[str]:
    return [f"  {heading}:", *(f"{INDENT}{line}" for line in text.splitlines())] if text else []


def _number(number: int | None) -> str:
    return "?" if number is None else str(number)


def _time(value: datetime | None) -> str:
    return "?" if value is None else moment(value)


def _short(text: str) -> str:
    line = harmless(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
