"""Which rung a failed record comes to: in place, by copy, to the dead letters, or a hold."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from django.db import Error as DatabaseError

from streamapp.copies import Copied, made_before
from streamapp.engine.database import Outage
from streamapp.engine.departure import Departure, Gone, Stranded
from streamapp.engine.failing import Failed, class_of
from streamapp.engine.leaving import Leaving
from streamapp.engine.limit import LetterLimit
from streamapp.engine.shard import Slice
from streamapp.ladder import DATABASE, Ladder
from streamapp.mount import Mount
from streamapp.outcomes import Kind, Outcome
from streamapp.records import Record
from streamapp.store.connections import close_old_connections
from streamapp.store.failed import Failure

AGAIN = (Kind.RETRY, Kind.RETRY_AFTER)
"""The outcomes that ask for another attempt."""


class Rungs:
    """Leads the failed records of one subscription. `describe` writes a position for people."""

    def __init__(
        self, mount: Mount, leaving: Leaving, limit: LetterLimit, describe: Callable[[int], str]
    ) -> None:
        self._mount = mount
        self._leaving = leaving
        self._limit = limit
        self._describe = describe

    def wait_in_place(
        self, record: Record, attempt: int, failures: tuple[str, ...], outcome: Outcome
    ) -> float | None:
        """Return after how many seconds a record is tried again in place; None when that rung is used up.

        `failures` are the classes of its failures so far in this delivery; each has a count of its own.
        """
        retry = self._mount.retry
        if retry is None or outcome.kind is Kind.RETRY_AFTER or self._is_last(record, attempt):
            return None
        tried = failures.count(class_of(outcome)) + 1
        fatal = isinstance(outcome, Failed) and outcome.fatal
        return None if fatal or tried >= retry.attempts else retry.delay(tried)

    def leave(self, part: Slice, index: int, attempt: int, outcome: Outcome) -> Outcome:
        """Take a record to the next rung after those in place; return what became of it in its shard.

        Raises Outage when the database is down.
        """
        ladder, later = self._mount.ladder, outcome.kind is Kind.RETRY_AFTER
        record = part.chunk.record(index)
        copied, single = self._copied(record, attempt, outcome.reason), part.rest([index])
        if ladder and self._is_last(record, attempt):
            # Asked with the whole slice, which tells how many records came before.
            if self._is_allowed(part, index):
                return self._give_up(ladder, single, record, copied, outcome)
            return self._put_off(ladder, single, record, copied, outcome)
        if later:
            return self._copy(
                Departure(single, record, copied.copy(), DATABASE, outcome.reason, outcome.delay)
            )
        if ladder is None:
            return Outcome.hold(outcome.reason or "retry")
        copy = copied.copy()
        seconds = ladder.backoff.delay(copy.copies)
        return self._copy(Departure(single, record, copy, ladder.copies, outcome.reason, seconds))

    def _is_allowed(self, part: Slice, index: int) -> bool:
        try:
            return self._limit.allows(part, index)
        except DatabaseError as error:
            close_old_connections()
            raise Outage from error

    def _copy(self, departure: Departure) -> Outcome:
        outcome = self._leaving.leave(departure)
        if isinstance(outcome, Gone):
            self._limit.copied()
        return outcome

    def _give_up(
        self, ladder: Ladder, single: Slice, record: Record, copied: Copied, outcome: Outcome
    ) -> Outcome:
        failure = outcome.failure if isinstance(outcome, Failed) else Failure(outcome.reason)
        departure = Departure(single, record, copied, ladder.letters, outcome.reason, failure=failure)
        return self._leaving.leave(departure)

    def _put_off(
        self, ladder: Ladder, single: Slice, record: Record, copied: Copied, outcome: Outcome
    ) -> Outcome:
        """Write no dead letter: hold the record; a copy is tried later, as the attempt that it was."""
        reason = f"{self._limit.reason} {outcome.reason}"
        if single.state.claimed is None:
            return Outcome.hold(reason)
        seconds = ladder.backoff.delay(copied.copies)
        return self._copy(Departure(single, record, copied, DATABASE, reason, seconds))

    def keep(self, stranded: Stranded) -> None:
        """Try again, later and elsewhere, to put away a record that is held because it was stranded."""
        if stranded.departure:
            self._leaving.stranding.add(stranded.departure)

    def _is_last(self, record: Record, attempt: int) -> bool:
        ladder = self._mount.ladder
        return ladder is not None and made_before(record.headers) + attempt >= ladder.most_attempts

    def _copied(self, record: Record, attempt: int, reason: str) -> Copied:
        """Return how far a record has come with this attempt."""
        before = Copied.read(record.headers)
        if before is None:
            origin = f"{record.shard}@{self._describe(record.position)}"
            return Copied(attempt, origin, datetime.now(UTC), reason)
        return replace(before, attempt=before.attempt - 1 + attempt)
