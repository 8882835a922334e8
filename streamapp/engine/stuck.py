"""Calls of handlers that take longer than STUCK_AFTER: told once, with the place in the code."""

import logging
from collections.abc import Callable, Iterator, Sequence

from streamapp.engine.calls import Place, Running
from streamapp.engine.consumer import Consumer
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.stacks import stack_of
from streamapp.observability.logs import Fields
from streamapp.store.alerts import AlertKind, Warned

logger = logging.getLogger("streamapp.stuck")


class StuckCalls:
    """Looks at what lanes are at. Its looks are what it measures by, so they should be frequent."""

    def __init__(self, loop: EventLoop, after: float, clock: Callable[[], float]) -> None:
        """Take the loop of `async def` handlers, and after how many seconds a call is stuck."""
        self._loop = loop
        self._after = after
        self._clock = clock

    def look(self, consumer: Consumer) -> list[Warned]:
        """Return the stuck calls of one subscription; each is logged the first time."""
        return list(self._found(consumer, consumer.watch.calls.running()))

    def _found(self, consumer: Consumer, running: Sequence[Running]) -> Iterator[Warned]:
        now = self._clock()
        for call in running:
            place = call.look(now)
            if place and now - call.since >= self._after:
                yield self._told(consumer, call, place, now - call.since)

    def _told(self, consumer: Consumer, call: Running, place: Place, seconds: float) -> Warned:
        part, index = place
        stack = stack_of(call.thread, call.coroutine or self._loop.awaited_by(call.thread))
        position = part.chunk.position(index)
        if not call.reported:
            call.reported = True
            fields = Fields(
                subscription=consumer.mount.name,
                shard=part.state.shard,
                position=consumer.describe(position),
                seconds=round(seconds, 1),
            )
            _log(fields, stack)
        return Warned(part.state.checkpoint, AlertKind.STUCK, position, seconds, stack)


def _log(fields: Fields, stack: str) -> None:
    """Log with the stack of another thread, as `stack_info` shows the one of the caller."""
    sentence = "Handler has run for longer than STUCK_AFTER. %s"
    told = f"Stack (most recent call last):\n{stack}"
    record = logger.makeRecord(
        logger.name, logging.ERROR, __file__, 0, sentence, (fields,), None, "look", None, told
    )
    if logger.isEnabledFor(logging.ERROR):
        logger.handle(record)
