"""Row ids as pages carry them in their fields; what else is sent for one belongs to nobody."""

from collections.abc import Iterable

LONGEST = 18
"""Digits: no row has a larger number, and no database refuses one."""


def is_row_id(text: str) -> bool:
    """Tell whether a text may be the id of a row."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST


def row_ids(texts: Iterable[str]) -> list[int]:
    """Return the ids among some texts."""
    return [int(text) for text in texts if is_row_id(text)]
