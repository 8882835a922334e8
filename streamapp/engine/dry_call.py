"""One call of a handler of which nothing stays: its transaction is rolled back, whatever comes of it."""

from collections.abc import Callable
from typing import Any

from django.db import connections, transaction

from streamapp.context import BatchContext, Context
from streamapp.engine.calling import refuse_broken, synchronous, verified
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.failing import FAILURES, failure_of
from streamapp.engine.rungs import AGAIN
from streamapp.engine.shard import Slice
from streamapp.engine.transactions import refused_elsewhere
from streamapp.mount import Mount
from streamapp.observability.logs import text_of
from streamapp.outcomes import Outcome
from streamapp.positions import Position
from streamapp.store.dry_runs import DryOutcome, DryResult
from streamapp.unsent import kept_back

HINT = "Only what is written to that database can be tried in a dry run."


class Asked:
    """Notes the moves that a handler asks for, and makes none."""

    def __init__(self) -> None:
        self.moves: list[str] = []

    def seek(self, position: Position) -> None:
        """Note a seek."""
        self.moves.append(f"seek {position}")

    def rewind(self, position: Position) -> None:
        """Note a rewind."""
        self.moves.append(f"rewind {position}")


class DryCall:
    """Calls the handler of one subscription in the calling thread, whose connection it uses."""

    def __init__(self, mount: Mount, using: str, loop: EventLoop, clock: Callable[[], float]) -> None:
        self._mount = mount
        self._using = using
        self._call = synchronous(mount, loop)
        self._clock = clock

    def run(self, part: Slice) -> DryResult:
        """Return what the handler says of a single record; blocks for as long as it takes.

        Nothing that it writes to the database stays, nothing runs that waits for a commit, and nothing is
        published or moved. Never raises for what decoder or handler raise.
        """
        record, mover, begun = part.chunk.record(0), Asked(), self._clock()
        try:
            value = self._decoded(record)
        except FAILURES as error:
            return DryResult(DryOutcome.UNDECODABLE, failure=failure_of(error, ""))
        with kept_back() as unsent:
            try:
                outcome = self._rolled_back(self._arguments(part, value, mover))
                kind, said, failure = outcome.kind.value, outcome.reason, DryResult("").failure
            except FAILURES as error:  # the edge of the handler; it is shown
                kind, said, failure = DryOutcome.FAILED, text_of(error, repr), failure_of(error, "")
        took = (self._clock() - begun) * 1000
        return DryResult(kind, said, failure, took, tuple(mover.moves), tuple(unsent))

    def _decoded(self, record: Any) -> Any:
        decode = self._mount.decode
        if decode is None:
            return record
        return None if record.value is None else decode(record.value)

    def _arguments(self, part: Slice, value: Any, mover: Asked) -> list[Any]:
        shape = self._mount.shape
        arguments = [[value]] if shape.is_batch else [value]
        if shape.takes_context:
            single = Context(mover, 1, None, part.chunk, 0)
            arguments.append(BatchContext(mover, 1, None) if shape.is_batch else single)
        return arguments

    def _rolled_back(self, arguments: list[Any]) -> Outcome:
        with transaction.atomic(using=self._using), refused_elsewhere(self._using, HINT):
            said = verified(self._mount, self._call(*arguments), arguments[0])
            outcome = said if isinstance(said, Outcome) else _of_one(said)
            refuse_broken(self._using)
            if outcome.kind not in AGAIN:
                # What the database would look at in the commit, which never comes.
                connections[self._using].check_constraints()
            transaction.set_rollback(True, using=self._using)
        return outcome


def _of_one(outcomes: list[Outcome]) -> Outcome:
    """Return the outcome of the only record of a batch; without one it is tried again."""
    return outcomes[0] if outcomes else Outcome.retry("The handler's list has no outcome for it.")
