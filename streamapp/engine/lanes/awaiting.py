"""Handling records on the event loop, where the next one is handled while this one waits."""

from typing import Any

from asgiref.sync import sync_to_async

from streamapp.context import Context
from streamapp.engine.calling import Call
from streamapp.engine.database import LaneDatabase
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.failing import FAILURES
from streamapp.engine.handling import Surroundings
from streamapp.engine.records import UNDECODED, Failures, RecordHandling, rest
from streamapp.engine.shard import Slice
from streamapp.engine.waits import sifted
from streamapp.engine.work import Work
from streamapp.mount import Mount
from streamapp.outcomes import ACK


class AwaitedRecords(RecordHandling):
    """Awaits the handler once a record, in the order of the strand.

    What asks the database leaves the loop for the thread that the ORM uses for coroutines.
    """

    def __init__(self, mount: Mount, call: Call, surroundings: Surroundings) -> None:
        super().__init__(mount, call, surroundings)
        # Lives in that thread, which therefore needn't ask the loop to renew its connections.
        self._database = LaneDatabase(surroundings.store, EventLoop(), surroundings.clock, eager=False)

    async def handle_on_loop(self, work: Work) -> Work | None:
        """Handle work until it is done or something else must happen first; return what is left."""
        if self._mount.hold != "record" and not (work := sifted(work)).slices:
            return None
        part, attempt, failures = work.slices[0], work.attempt, work.failures
        decode, raws = self._decoding(part)
        for index, raw in zip(part.indexes, raws, strict=True):
            if not part.current:
                return None
            if part.state.paused or not self._gate.enter():
                return rest(part, index, attempt, failures=failures)
            if left := await self._deliver(part, index, attempt, failures, decode, raw):
                return left
            attempt, failures = 1, ()
        return None

    async def _deliver(
        self, part: Slice, index: int, attempt: int, failures: Failures, decode: Any, raw: Any
    ) -> Work | None:
        value = UNDECODED
        try:
            value = None if raw is None else decode(raw)
            outcome = await self._mount.handler(*self._arguments(part, index, attempt, value))
        except FAILURES as error:  # the edge of decoder and handler; it is reported
            excuse = sync_to_async(self._excuse)
            return await excuse(part, index, attempt, failures, error, decoded=value is not UNDECODED)
        if outcome is None or outcome is ACK:
            if part.current:
                part.span.settle(index)
            return None
        return await sync_to_async(self._judge)(part, index, attempt, failures, outcome)

    def _arguments(self, part: Slice, index: int, attempt: int, value: Any) -> list[Any]:
        if not self._mount.shape.takes_context:
            return [value]
        return [value, Context(self._mover, attempt, self._state, part.chunk, index)]

    async def refresh(self) -> None:
        """Renew the connection of the thread in which failures are judged."""
        await sync_to_async(self._database.refresh)()
