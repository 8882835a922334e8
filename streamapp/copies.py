"""What the headers of a copied record say: which attempt it is, where it came from, and what failed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, datetime
from typing import Self

PREFIX = "streamapp-"
ATTEMPT = "streamapp-attempt"
COPIES = "streamapp-copies"
ORIGIN = "streamapp-origin"
FIRST_FAILURE = "streamapp-first-failure"
REASON = "streamapp-reason"
LONGEST = 1000
"""Characters of a reason in a header: brokers bound the size of a record."""
MOST = 2**31 - 1
"""Attempts and copies that a column holds: headers are what anybody may have written."""


@dataclass(frozen=True, slots=True)
class Copied:
    """How far a record has come: the attempt at hand, counted from 1, and its first failure.

    `copies` counts how often it was copied. `origin` is `stream/shard@position` of the record that failed
    first, as operators write it.
    """

    attempt: int
    origin: str
    first_failed_at: datetime
    reason: str
    copies: int = 0

    def headers(self) -> dict[str, bytes]:
        """Return the headers that a copy carries beside those that the record arrived with."""
        return {
            ATTEMPT: str(self.attempt).encode(),
            COPIES: str(self.copies).encode(),
            ORIGIN: _line(self.origin).encode("utf-8", "replace"),
            FIRST_FAILURE: self.first_failed_at.isoformat().encode(),
            REASON: _line(self.reason)[:LONGEST].encode("utf-8", "replace"),
        }

    @classmethod
    def read(cls, headers: Mapping[str, bytes]) -> Self | None:
        """Return what the headers of a copy say; None for a record that is no copy, or not one of ours."""
        try:
            attempt, copies = int(headers[ATTEMPT]), int(headers[COPIES])
            moment = datetime.fromisoformat(headers[FIRST_FAILURE].decode())
            origin, reason = headers[ORIGIN].decode(), headers[REASON].decode("utf-8", "replace")
        except (KeyError, ValueError):
            return None
        sound = 0 < attempt < MOST and 0 <= copies < MOST and _is_storable(moment)
        return cls(attempt, origin, moment, reason, copies) if sound else None

    def copy(self) -> Self:
        """Return what a copy says that is made now: the next attempt comes."""
        return replace(self, attempt=self.attempt + 1, copies=self.copies + 1)


def _is_storable(moment: datetime) -> bool:
    """Tell whether a moment has a zone, and a year in every zone."""
    return moment.tzinfo is not None and MINYEAR < moment.year < MAXYEAR


def _line(text: str) -> str:
    """Write a text in one line, which is all that a header can have on Kinesis."""
    return " ".join(text.splitlines())


def made_before(headers: Mapping[str, bytes]) -> int:
    """Return how many attempts were made for a record before it was read here: 0 unless it is a copy."""
    if ATTEMPT not in headers:
        return 0
    copied = Copied.read(headers)
    return copied.attempt - 1 if copied else 0


def as_arrived(headers: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the headers that a record had before it was copied."""
    return {name: value for name, value in headers.items() if not name.startswith(PREFIX)}
