"""Handling one record after the other."""

from collections.abc import Callable, Sequence
from typing import Any

from streamapp.context import Context
from streamapp.engine.calling import WrongOutcome, checked
from streamapp.engine.handling import FAILURES, OUTAGE_SECONDS, Handling, Outage
from streamapp.engine.shard import Slice
from streamapp.engine.work import Work
from streamapp.outcomes import ACK, Kind, Outcome

UNDECODED = object()


class RecordHandling(Handling):
    """Calls the handler once a record, in the order of the shard."""

    def _handle(self, work: Work) -> Work | None:
        # A function more in this loop costs every consumer some percent; so it asks the gate what
        # `Gate.enter` does, without the call.
        part, attempt = work.slices[0], work.attempt
        state, generation, settle = part.state, part.generation, part.span.settle
        gate, life, clock = self._gate, self._gate.life, self._clock
        call, with_context = self._call, self._mount.shape.takes_context
        decode, raws = self._decoding(part)
        for index, raw in zip(part.indexes, raws, strict=True):
            if state.generation != generation:
                return None
            if gate.interrupted or state.paused or clock() >= life.until:
                return rest(part, index, attempt)
            left, value = None, UNDECODED
            try:
                value = None if raw is None else decode(raw)
                if with_context:
                    outcome = call(value, Context(self._mover, attempt, self._state, part.chunk, index))
                else:
                    outcome = call(value)
            except FAILURES as error:  # the edge of decoder and handler; it is reported
                left = self._excuse(part, index, attempt, error, decoded=value is not UNDECODED)
            else:
                if outcome is not None and outcome is not ACK:
                    left = self._judge(part, index, attempt, outcome)
                elif state.generation == generation:
                    settle(index)
            if left:
                return left
            attempt = 1
        return None

    def _decoding(self, part: Slice) -> tuple[Callable[[Any], Any], Sequence[Any]]:
        """Return what makes the handler's values, and of what: of payloads, or for `Record` of indexes."""
        if self._mount.decode is None:
            return part.chunk.record, part.indexes
        return self._mount.decode, part.values()

    def _excuse(
        self, part: Slice, index: int, attempt: int, error: BaseException, *, decoded: bool
    ) -> Work | None:
        """Deal with what decoder or handler raised; return what must wait, or None."""
        try:
            outcome = self._failed(error, part, index) if decoded else self._set_aside(part, index, error)
        except Outage:
            return rest(part, index, attempt, self._clock() + OUTAGE_SECONDS)
        return self._apply(part, index, attempt, outcome)

    def _judge(self, part: Slice, index: int, attempt: int, outcome: Any) -> Work | None:
        """Deal with anything but an ack that the handler returned; return what must wait, or None."""
        try:
            return self._apply(part, index, attempt, checked(outcome))
        except WrongOutcome as error:
            return self._excuse(part, index, attempt, error, decoded=True)

    def _apply(self, part: Slice, index: int, attempt: int, outcome: Outcome) -> Work | None:
        if outcome.kind is Kind.RETRY:
            outcome, delay = self._retry_or_hold(attempt, outcome.reason)
            if outcome.kind is Kind.RETRY:
                return rest(part, index, attempt + 1, self._clock() + delay)
        self._settle(part, index, outcome)
        return None


def rest(part: Slice, index: int, attempt: int, due: float = 0.0) -> Work:
    """Return a record and those of its slice behind it as work for later."""
    later = part.indexes[part.indexes.index(index) :]
    return Work((part.rest(later),), attempt, due)
