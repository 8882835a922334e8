"""Handling one record after the other."""

from collections.abc import Callable, Sequence
from typing import Any

from streamapp.context import Context
from streamapp.engine.calling import WrongOutcome, checked
from streamapp.engine.database import Outage
from streamapp.engine.failing import FAILURES, class_of
from streamapp.engine.handling import OUTAGE_SECONDS, Handling
from streamapp.engine.rungs import AGAIN
from streamapp.engine.shard import Slice
from streamapp.engine.work import Work
from streamapp.outcomes import ACK, Outcome

UNDECODED = object()
Failures = tuple[str, ...]
"""The classes of a record's failures in this delivery."""


class RecordHandling(Handling):
    """Calls the handler once a record, in the order of the shard."""

    def _handle(self, work: Work) -> Work | None:
        # A function more in this loop costs every consumer some percent; so it asks the gate what
        # `Gate.enter` does, and settles in order what `Span.settle` would, without the calls.
        part, attempt, failures = work.slices[0], work.attempt, work.failures
        state, generation, span = part.state, part.generation, part.span
        gate, life, clock = self._gate, self._gate.life, self._clock
        call, with_context = self._call, self._mount.shape.takes_context
        decode, raws = self._decoding(part)
        walks = span.is_walk(part.indexes)
        for index, raw in zip(part.indexes, raws, strict=True):
            if state.generation != generation:
                return None
            if gate.interrupted or state.paused or clock() >= life.until:
                return rest(part, index, attempt, failures=failures)
            left, value = None, UNDECODED
            try:
                value = None if raw is None else decode(raw)
                if with_context:
                    outcome = call(value, Context(self._mover, attempt, self._state, part.chunk, index))
                else:
                    outcome = call(value)
            except FAILURES as error:  # the edge of decoder and handler; it is reported
                left = self._excuse(part, index, attempt, failures, error, decoded=value is not UNDECODED)
            else:
                if outcome is not None and outcome is not ACK:
                    left = self._judge(part, index, attempt, failures, outcome)
                elif state.generation == generation:
                    if walks:
                        span.cursor = index + 1
                    else:
                        span.settle(index)
            if left:
                return left
            attempt, failures = 1, ()
        return None

    def _decoding(self, part: Slice) -> tuple[Callable[[Any], Any], Sequence[Any]]:
        """Return what makes the handler's values, and of what: of payloads, or for `Record` of indexes."""
        if self._mount.decode is None:
            return part.chunk.record, part.indexes
        return self._mount.decode, part.values()

    def _excuse(
        self,
        part: Slice,
        index: int,
        attempt: int,
        failures: Failures,
        error: BaseException,
        *,
        decoded: bool,
    ) -> Work | None:
        """Deal with what decoder or handler raised; return what must wait, or None."""
        try:
            if decoded:
                outcome = self._failed(error, part, index, attempt)
            else:
                outcome = self._set_aside(part, index, error)
        except Outage:
            return rest(part, index, attempt, self._clock() + OUTAGE_SECONDS, failures)
        return self._apply(part, index, attempt, failures, outcome)

    def _judge(self, part: Slice, index: int, attempt: int, failures: Failures, outcome: Any) -> Work | None:
        """Deal with anything but an ack that the handler returned; return what must wait, or None."""
        try:
            return self._apply(part, index, attempt, failures, checked(outcome))
        except WrongOutcome as error:
            return self._excuse(part, index, attempt, failures, error, decoded=True)

    def _apply(
        self, part: Slice, index: int, attempt: int, failures: Failures, outcome: Outcome
    ) -> Work | None:
        if outcome.kind in AGAIN and part.current:
            record = part.chunk.record(index)
            wait = self._rungs.wait_in_place(record, attempt, failures, outcome)
            if wait is not None:
                failures += (class_of(outcome),)
                return rest(part, index, attempt + 1, self._clock() + wait, failures)
            try:
                outcome = self._rungs.leave(part, index, attempt, outcome)
            except Outage:
                return rest(part, index, attempt, self._clock() + OUTAGE_SECONDS, failures)
        self._settle(part, index, outcome)
        behind = part.indexes[part.indexes.index(index) + 1 :]
        if self._mount.hold != "record" and not outcome.settles and behind:
            return Work((part.rest(behind),))  # what may not be handled is sifted out of it
        return None


def rest(part: Slice, index: int, attempt: int, due: float = 0.0, failures: Failures = ()) -> Work:
    """Return a record and those of its slice behind it as work for later."""
    later = part.indexes[part.indexes.index(index) :]
    return Work((part.rest(later),), attempt, due, failures)
