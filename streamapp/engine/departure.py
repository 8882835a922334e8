"""A record on its way out of its shard, and what its handling is told of it."""

import json
from dataclasses import dataclass

from streamapp.copies import LONGEST, PREFIX, Copied, as_arrived
from streamapp.engine.shard import Slice
from streamapp.outcomes import Outcome
from streamapp.records import Record
from streamapp.store.failed import Failure


@dataclass(frozen=True, slots=True)
class Departure:
    """A copy to be tried again, or with a `failure` a dead letter.

    `part` is the slice of this one record. `copied` tells of a copy which attempt comes, of a dead letter
    how many were made. `to` is `DATABASE` or a stream. `seconds` is how long a copy in the database waits.
    """

    part: Slice
    record: Record
    copied: Copied
    to: str
    reason: str
    seconds: float = 0.0
    failure: Failure | None = None

    @property
    def is_held(self) -> bool:
        """Tell whether the record waits to be taken away: it was neither moved nor skipped meanwhile."""
        return self.part.current and self.part.indexes[0] in self.part.span.held


@dataclass(frozen=True, slots=True)
class Gone(Outcome):
    """The record is safely elsewhere, and settled by whoever put it there."""

    @property
    def settles(self) -> bool:
        """Return True, whatever comes of the copy."""
        return True


@dataclass(frozen=True, slots=True)
class Stranded(Outcome):
    """A hold, because the place where the record should go didn't take it."""

    departure: Departure | None = None


def headers_of(subscription: str, departure: Departure) -> dict[str, bytes]:
    """Return the headers of a record that goes to a stream: those that it arrived with, and its story."""
    headers = {**as_arrived(departure.record.headers), **departure.copied.headers()}
    if failure := departure.failure:
        told = {
            "subscription": subscription,
            "exception": failure.exception,
            "message": failure.message[:LONGEST],
            "trace": failure.trace,
        }
        # JSON, because a header has one line on Kinesis.
        headers.update({f"{PREFIX}{name}": json.dumps(text).encode() for name, text in told.items()})
    return headers
