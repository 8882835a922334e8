"""A record as the page of records shows it."""

from typing import Any

from streamapp.admin.cells import time
from streamapp.services.peek import Look
from streamapp.services.shown import Form, Payload, ShownRecord
from streamapp.services.wording import amount


def record_cells(record: ShownRecord, look: Look, url: str | None) -> dict[str, Any]:
    """Return what the template shows of one record; every text in it is still to be escaped."""
    return {
        "url": url,
        "place": record.place,
        "is_here": record.position == look.here,
        "time": time(record.timestamp),
        "key": record.key.text,
        "headers": record.headers,
        "value": record.value.text,
        "about": _about(record.value),
        "problem": record.value.problem,
    }


def _about(payload: Payload) -> str:
    if payload.form is Form.NULL:
        return "no value"
    return f"{amount(payload.size, 'byte')}, {payload.form}"
