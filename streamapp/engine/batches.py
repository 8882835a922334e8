"""Handling a batch: the records of one poll, of however many shards, in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from streamapp.context import BatchContext
from streamapp.copies import made_before
from streamapp.engine.calling import checked_list
from streamapp.engine.database import Outage
from streamapp.engine.failing import FAILURES, class_of, judged
from streamapp.engine.handling import OUTAGE_SECONDS, Handling, logger
from streamapp.engine.rungs import AGAIN
from streamapp.engine.shard import Slice
from streamapp.engine.work import Work
from streamapp.observability.logs import Fields
from streamapp.outcomes import Kind, Outcome


@dataclass(slots=True)
class Batch:
    """Decoded values, and for each part which of its records they are."""

    values: list[Any] = field(default_factory=list)
    parts: list[Slice] = field(default_factory=list)

    def add(self, part: Slice, values: list[Any]) -> None:
        """Append the values of one part, which must be as many as its indexes."""
        self.parts.append(part)
        self.values.extend(values)


class BatchHandling(Handling):
    """Calls the handler once a batch. Every record moves its own shard."""

    def _handle(self, work: Work) -> Work | None:
        if not self._gate.enter():
            return work
        left = work
        try:
            batch = self._decoded(work)
            # What is undecodable has come to its outcome: it doesn't come again with the others.
            left = replace(work, slices=tuple(batch.parts))
            outcomes = self._outcomes(batch, work.attempt) if batch.values else []
        except Outage:
            return replace(left, due=self._clock() + OUTAGE_SECONDS)
        return self._settle_all(batch, outcomes, left)

    def _decoded(self, work: Work) -> Batch:
        batch = Batch()
        for whole in work.slices:
            if (part := _free(whole)) is None:
                continue
            raw = part.values()
            try:
                batch.add(part, self._decode_all(part, raw))
            except FAILURES:  # a decoder may raise anything; found and reported one by one
                self._decode_singly(batch, part, raw)
        return batch

    def _decode_all(self, part: Slice, raw: Sequence[bytes | None]) -> list[Any]:
        decode = self._mount.decode
        if decode is None:
            return [part.chunk.record(index) for index in part.indexes]
        if all(raw):
            return list(map(decode, raw))  # type: ignore[arg-type]  # no value is None
        return [None if value is None else decode(value) for value in raw]

    def _decode_singly(self, batch: Batch, part: Slice, raw: Sequence[bytes | None]) -> None:
        good: list[int] = []
        values: list[Any] = []
        for index, value in zip(part.indexes, raw, strict=True):
            if (single := _free(part.rest([index]))) is None:
                continue
            try:
                values += self._decode_all(single, [value])
            except FAILURES as error:  # a decoder may raise anything; it is reported
                self._settle(part, index, self._set_aside(part, index, error))
            else:
                good.append(index)
        if good:
            batch.add(part.rest(good), values)

    def _outcomes(self, batch: Batch, attempt: int) -> Outcome | list[Outcome]:
        """Call the handler; one outcome is meant for all records, a list has one a record."""
        arguments = [batch.values]
        if self._mount.shape.takes_context:
            arguments.append(self._context(batch, attempt))
        first = batch.parts[0]
        try:
            return self._called(batch, arguments)
        except FAILURES as error:  # the edge of the handler; it is reported
            self._report(error, first, first.indexes[0])
            return self._judged(batch, attempt, error)

    def _context(self, batch: Batch, attempt: int) -> Any:
        """Return the context of a batch; a copy comes alone, and its attempts count."""
        first = batch.parts[0]
        if first.state.claimed:
            attempt += made_before(first.state.claimed.record.headers)
        return BatchContext(self._mover, attempt, self._state)

    def _judged(self, batch: Batch, attempt: int, error: BaseException) -> Outcome | list[Outcome]:
        """Return what an exception leads to: ON_ERROR may say something else of each record."""
        records = (part.chunk.record(index) for part in batch.parts for index in part.indexes)
        if self._mount.on_error is None:
            return judged(self._mount, error, next(records), attempt)
        return [judged(self._mount, error, record, attempt) for record in records]

    def _called(self, batch: Batch, arguments: list[Any]) -> Outcome | list[Outcome]:
        return checked_list(self._call(*arguments), len(batch.values))

    def _settle_all(self, batch: Batch, outcomes: Outcome | list[Outcome], work: Work) -> Work | None:
        if isinstance(outcomes, Outcome) and outcomes.kind is Kind.ACK:
            for part in batch.parts:
                self._settle_part(part)
            return None
        return self._settle_each(batch, self._one_each(outcomes, len(batch.values)), work)

    def _one_each(self, outcomes: Outcome | list[Outcome], records: int) -> list[Outcome]:
        if isinstance(outcomes, Outcome):
            return [outcomes] * records
        if len(outcomes) < records:
            fields = Fields(subscription=self._mount.name, records=records, outcomes=len(outcomes))
            logger.warning("Too few outcomes for a batch, the rest is retried. %s", fields)
        return outcomes + [Outcome.retry("no outcome was returned")] * (records - len(outcomes))

    def _settle_part(self, part: Slice) -> None:
        if part.current:
            part.span.settle_all(part.indexes)

    def _settle_each(self, batch: Batch, outcomes: list[Outcome], work: Work) -> Work | None:
        """Apply one outcome a record; return those that come again together, in place."""
        again = Again(work, self._clock())
        remaining = iter(outcomes)
        for part in batch.parts:
            outcome_of = {index: next(remaining) for index in part.indexes}
            retried = [i for i in part.indexes if self._comes_again(part, i, outcome_of[i], again)]
            if retried and part.current:
                again.slices.append(part.rest(retried))
        return again.work() if again.slices else None

    def _comes_again(self, part: Slice, index: int, outcome: Outcome, again: "Again") -> bool:
        if outcome.kind in AGAIN and part.current:
            record, work = part.chunk.record(index), again.before
            wait = self._rungs.wait_in_place(record, work.attempt, work.failures, outcome)
            if wait is not None:
                again.failed(wait, class_of(outcome))
                return True
            try:
                outcome = self._rungs.leave(part, index, work.attempt, outcome)
            except Outage:
                again.put_off(OUTAGE_SECONDS)
                return True
        self._conclude(part, index, outcome)
        return False


def _free(part: Slice) -> Slice | None:
    """Return what of a slice doesn't wait, by HOLD, behind an undecodable record of the same batch."""
    waits = part.state.waits
    return waits.sift(part) if waits and part.current else part


@dataclass(slots=True)
class Again:
    """What of a batch comes again, and when; after an outage nothing is counted against it."""

    before: Work
    now: float
    slices: list[Slice] = field(default_factory=list)
    _wait: float = 0.0
    _failure: str | None = None

    def failed(self, wait: float, failure: str) -> None:
        """Note a record that failed and is tried again in place."""
        self._wait, self._failure = max(self._wait, wait), failure

    def put_off(self, wait: float) -> None:
        """Note a record that couldn't be taken away because of an outage."""
        self._wait = max(self._wait, wait)

    def work(self) -> Work:
        """Return what comes again."""
        due, slices = self.now + self._wait, tuple(self.slices)
        if self._failure is None:
            return replace(self.before, slices=slices, due=due)
        failures = (*self.before.failures, self._failure)
        return Work(slices, self.before.attempt + 1, due, failures)
