"""The records that are read: JSON of an equal size."""

import msgspec

from benchmarks.tally import Entry

RECORD_BYTES = 512
TEXT = "Card payment, shop on the corner, thank you for your visit. " * 8


def value(number: int) -> bytes:
    """Return one record as JSON of exactly so many bytes."""
    entry = Entry(number, f"account-{number % 5000:05}", number % 10_000, 1, "2026-11-01T08:00:00Z", "")
    entry.text = TEXT[: RECORD_BYTES - len(msgspec.json.encode(entry))]
    return msgspec.json.encode(entry)
