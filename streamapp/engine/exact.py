"""Handling under TRANSACTION = "checkpoint": what a call settles is settled by its transaction."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import Error as DatabaseError

from streamapp.context import Context
from streamapp.engine.batches import Batch, BatchHandling
from streamapp.engine.calling import Call, checked, checked_list
from streamapp.engine.committing import Superseded
from streamapp.engine.database import Outage
from streamapp.engine.departure import Gone
from streamapp.engine.failing import FAILURES
from streamapp.engine.handling import Handling, Surroundings, logger
from streamapp.engine.records import UNDECODED, Failures, RecordHandling, rest
from streamapp.engine.shard import Slice
from streamapp.engine.transactions import CheckpointTransaction
from streamapp.engine.work import Work
from streamapp.mount import Mount
from streamapp.outcomes import Kind, Outcome
from streamapp.store.connections import close_old_connections


class ExactHandling(Handling):
    """What both kinds have in common: a refused commit is no failure of the record."""

    def __init__(self, mount: Mount, call: Call, surroundings: Surroundings) -> None:
        super().__init__(mount, call, surroundings)
        self._committer = surroundings.committer
        self._transaction = CheckpointTransaction(
            surroundings.store.using, surroundings.committer, surroundings.mover
        )

    def _report(self, error: BaseException, part: Slice, index: int) -> None:
        if isinstance(error, Superseded):
            logger.warning("Commit refused, its writes are undone. %s", self._fields(part, index))
            self._let_go(part)
            raise Outage from error
        super()._report(error, part, index)

    def _let_go(self, part: Slice) -> None:
        """Go on from what the rows say; the records in question then come again, or to somebody else."""
        try:
            self._committer.let_go(part)
        except DatabaseError as error:
            close_old_connections()
            raise Outage from error

    def _conclude(self, part: Slice, index: int, outcome: Outcome) -> None:
        """Settle nothing that the transaction has settled; one that was rolled back has settled nothing."""
        if isinstance(outcome, Gone) or not outcome.settles or not part.span.is_passed(index):
            self._settle(part, index, outcome)
        elif outcome.kind is Kind.DROP:
            logger.warning("Record dropped. %s", self._fields(part, index, reason=outcome.reason))


class ExactRecordHandling(ExactHandling, RecordHandling):
    """One transaction a record."""

    def _handle(self, work: Work) -> Work | None:
        part, attempt, failures = work.slices[0], work.attempt, work.failures
        decode, raws = self._decoding(part)
        for index, raw in zip(part.indexes, raws, strict=True):
            if not part.current:
                return None
            if part.state.paused or not self._gate.enter():
                return rest(part, index, attempt, failures=failures)
            if left := self._deliver(part, index, attempt, failures, decode, raw):
                return left
            attempt, failures = 1, ()
        return None

    def _deliver(
        self,
        part: Slice,
        index: int,
        attempt: int,
        failures: Failures,
        decode: Callable[[Any], Any],
        raw: Any,
    ) -> Work | None:
        value = UNDECODED
        try:
            value = None if raw is None else decode(raw)
            outcome = self._committed(part, index, attempt, value)
        except FAILURES as error:  # the edge of decoder and handler; it is reported
            return self._excuse(part, index, attempt, failures, error, decoded=value is not UNDECODED)
        if outcome.settles:
            self._conclude(part, index, outcome)
            return None
        return self._apply(part, index, attempt, failures, outcome)

    def _committed(self, part: Slice, index: int, attempt: int, value: Any) -> Outcome:
        single = [part.rest([index])]
        arguments = [value]
        if self._mount.shape.takes_context:
            arguments.append(Context(self._mover, attempt, self._state, part.chunk, index))
        return self._transaction.run(
            single, lambda: checked(self._call(*arguments)), lambda outcome: single if outcome.settles else []
        )


class ExactBatchHandling(ExactHandling, BatchHandling):
    """One transaction a batch, with the checkpoints of all its shards."""

    def _called(self, batch: Batch, arguments: list[Any]) -> Outcome | list[Outcome]:
        records = len(batch.values)
        return self._transaction.run(
            batch.parts,
            lambda: checked_list(self._call(*arguments), records),
            lambda outcomes: self._settled(batch, outcomes),
        )

    def _settled(self, batch: Batch, outcomes: Outcome | list[Outcome]) -> Sequence[Slice]:
        if isinstance(outcomes, Outcome):
            return batch.parts if outcomes.settles else []
        remaining = iter(self._one_each(outcomes, len(batch.values)))
        chosen = [(part, [i for i in part.indexes if next(remaining).settles]) for part in batch.parts]
        return [part.rest(indexes) for part, indexes in chosen if indexes]

    def _settle_part(self, part: Slice) -> None:
        """Do nothing: the transaction has settled it."""
