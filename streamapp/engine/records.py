"""Handling one record after the other."""

from typing import Any

from streamapp.context import Context
from streamapp.engine.calling import checked
from streamapp.engine.handling import OUTAGE_SECONDS, Handling, Outage
from streamapp.engine.shard import Slice
from streamapp.engine.work import Work
from streamapp.outcomes import Kind


class RecordHandling(Handling):
    """Calls the handler once a record, in the order of the shard."""

    def _handle(self, work: Work) -> Work | None:
        part = work.slices[0]
        values = part.chunk.values()
        attempt, stop = work.attempt, len(values)
        self._refresh()
        for index in part.indexes:
            if not part.current:
                return None
            if not self._gate.enter():
                return Work((part.rest(range(index, stop)),), attempt)
            try:
                delay = self._deliver(part, index, values[index], attempt)
            except Outage:
                return Work((part.rest(range(index, stop)),), attempt, self._clock() + OUTAGE_SECONDS)
            if delay is not None:
                return Work((part.rest(range(index, stop)),), attempt + 1, self._clock() + delay)
            attempt = 1
        return None

    def _deliver(self, part: Slice, index: int, raw: bytes | None, attempt: int) -> float | None:
        """Deliver one record; return after how many seconds it is to be tried again, or None."""
        try:
            value = self._decoded(part, index, raw)
        except Exception as error:  # noqa: BLE001 - a decoder may raise anything; it is reported
            self._set_aside(part, index, error)
            return None
        try:
            outcome = self._outcome(part, index, value, attempt)
            if outcome is not None:
                outcome = checked(outcome)
        except Exception as error:  # noqa: BLE001 - the edge of the handler; it is reported
            outcome = self._failed(error, part, index)
        if outcome is None:
            if part.current:
                part.span.settle(index)
            return None
        return self._judge(part, index, outcome, attempt)

    def _judge(self, part: Slice, index: int, outcome: Any, attempt: int) -> float | None:
        if outcome.kind is Kind.RETRY:
            outcome, delay = self._retry_or_hold(attempt, outcome.reason)
            if outcome.kind is Kind.RETRY:
                return delay
        self._settle(part, index, outcome)
        return None

    def _decoded(self, part: Slice, index: int, raw: bytes | None) -> Any:
        if self._mount.decode is None:
            return part.chunk.record(index)
        return None if raw is None else self._mount.decode(raw)

    def _outcome(self, part: Slice, index: int, value: Any, attempt: int) -> Any:
        if not self._mount.shape.takes_context:
            return self._call(value)
        return self._call(value, Context(self._mover, attempt, self._state, part.chunk, index))
