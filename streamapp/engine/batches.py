"""Handling a batch: the records of one poll, of however many shards, in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from streamapp.context import BatchContext
from streamapp.engine.calling import checked_list
from streamapp.engine.handling import FAILURES, OUTAGE_SECONDS, Handling, Outage, logger
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
        try:
            batch = self._decoded(work)
            outcomes = self._outcomes(batch, work.attempt) if batch.values else []
        except Outage:
            return Work(work.slices, work.attempt, self._clock() + OUTAGE_SECONDS)
        return self._settle_all(batch, outcomes, work.attempt)

    def _decoded(self, work: Work) -> Batch:
        batch = Batch()
        for part in work.slices:
            raw = part.values()
            try:
                batch.add(part, self._decode_all(part, raw))
            except Exception:  # noqa: BLE001 - a decoder may raise anything; found and reported one by one
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
            try:
                values += self._decode_all(part.rest([index]), [value])
            except Exception as error:  # noqa: BLE001 - a decoder may raise anything; it is reported
                self._settle(part, index, self._set_aside(part, index, error))
            else:
                good.append(index)
        if good:
            batch.add(part.rest(good), values)

    def _outcomes(self, batch: Batch, attempt: int) -> Outcome | list[Outcome]:
        """Call the handler; one outcome is meant for all records, a list has one a record."""
        arguments = [batch.values]
        if self._mount.shape.takes_context:
            arguments.append(BatchContext(self._mover, attempt, self._state))  # type: ignore[arg-type]
        first = batch.parts[0]
        try:
            return self._called(batch, arguments)
        except FAILURES as error:  # the edge of the handler; it is reported
            return self._failed(error, first, first.indexes[0])

    def _called(self, batch: Batch, arguments: list[Any]) -> Outcome | list[Outcome]:
        return checked_list(self._call(*arguments), len(batch.values))

    def _settle_all(self, batch: Batch, outcomes: Outcome | list[Outcome], attempt: int) -> Work | None:
        if isinstance(outcomes, Outcome) and outcomes.kind is Kind.ACK:
            for part in batch.parts:
                self._settle_part(part)
            return None
        return self._settle_each(batch, self._one_each(outcomes, len(batch.values)), attempt)

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

    def _settle_each(self, batch: Batch, outcomes: list[Outcome], attempt: int) -> Work | None:
        again: list[Slice] = []
        place, latest = 0, 0.0
        for part in batch.parts:
            retried = []
            for index in part.indexes:
                outcome, place = outcomes[place], place + 1
                if outcome.kind is Kind.RETRY:
                    outcome, delay = self._retry_or_hold(attempt, outcome.reason)
                    latest = max(latest, delay)
                if outcome.kind is Kind.RETRY:
                    retried.append(index)
                else:
                    self._conclude(part, index, outcome)
            if retried and part.current:
                again.append(part.rest(retried))
        return Work(tuple(again), attempt + 1, self._clock() + latest) if again else None
