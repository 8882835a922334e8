"""Handling one record after the other."""

from typing import Any

from streamapp.context import Context
from streamapp.engine.calling import checked
from streamapp.engine.handling import OUTAGE_SECONDS, Handling, Outage
from streamapp.engine.shard import Slice
from streamapp.engine.work import Work
from streamapp.outcomes import ACK, Kind, Outcome


class RecordHandling(Handling):
    """Calls the handler once a record, in the order of the shard.

    `_handle` and `_deliver` run once a record at full speed, so they hold what they need in local names.
    """

    def _handle(self, work: Work) -> Work | None:
        part, attempt = work.slices[0], work.attempt
        state, generation, settle = part.state, part.generation, part.span.settle
        enter, deliver, values = self._gate.enter, self._deliver, part.chunk.values()
        self._refresh()
        for index in part.indexes:
            if state.generation != generation:
                return None
            if not enter():
                return _rest(part, index, attempt)
            try:
                outcome = deliver(part, index, values[index], attempt)
            except Outage:
                return _rest(part, index, attempt, self._clock() + OUTAGE_SECONDS)
            if outcome is not ACK:
                delay = self._judge(part, index, outcome, attempt)
                if delay is not None:
                    return _rest(part, index, attempt + 1, self._clock() + delay)
            elif state.generation == generation:
                settle(index)
            attempt = 1
        return None

    def _deliver(self, part: Slice, index: int, raw: bytes | None, attempt: int) -> Outcome:
        """Decode one record and call the handler; raises Outage and nothing else."""
        decode = self._mount.decode
        try:
            if decode is None:
                value: Any = part.chunk.record(index)
            else:
                value = None if raw is None else decode(raw)
        except Exception as error:  # noqa: BLE001 - a decoder may raise anything; it is reported
            return self._set_aside(part, index, error)
        try:
            if self._mount.shape.takes_context:
                outcome = self._call(value, Context(self._mover, attempt, self._state, part.chunk, index))
            else:
                outcome = self._call(value)
            return ACK if outcome is None else checked(outcome)
        except Exception as error:  # noqa: BLE001 - the edge of the handler; it is reported
            return self._failed(error, part, index)

    def _judge(self, part: Slice, index: int, outcome: Outcome, attempt: int) -> float | None:
        """Apply an outcome; return after how many seconds the record is to be tried again, or None."""
        if outcome.kind is Kind.RETRY:
            outcome, delay = self._retry_or_hold(attempt, outcome.reason)
            if outcome.kind is Kind.RETRY:
                return delay
        self._settle(part, index, outcome)
        return None


def _rest(part: Slice, index: int, attempt: int, due: float = 0.0) -> Work:
    """Return a record and those behind it as work for later."""
    return Work((part.rest(range(index, len(part.chunk))),), attempt, due)
