"""What operators put in the place of a record's value: it travels with the value that arrived."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from streamapp.records import Record


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited record's value as it `arrived`, and by whom and when the record was edited."""

    arrived: bytes | None
    by: str
    at: datetime

    @classmethod
    def of(cls, row: Any) -> "Edit | None":
        """Return the edit that a row of a record set aside carries."""
        if row.edited_value is None or row.edited_at is None:
            return None
        return cls(plain(row.value), row.edited_by, row.edited_at)


def edited_columns(record: Record, edit: Edit | None) -> dict[str, Any]:
    """Return the columns of a record that was edited: what arrived stays, the edited value stands beside."""
    if edit is None:
        return {}
    return {
        "value": edit.arrived,
        "edited_value": record.value,
        "edited_by": edit.by,
        "edited_at": edit.at,
    }


def plain(stored: bytes | memoryview | None) -> bytes | None:
    """Return the bytes of a column; PostgreSQL brings them as a view."""
    return None if stored is None else bytes(stored)
