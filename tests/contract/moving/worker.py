"""A consumer process without a process: the engine's parts, driven step by step in the test's thread."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections

from streamapp.conf import Configuration
from streamapp.engine.assembly import assemble
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.parts import Parts
from streamapp.models import Worker as WorkerRow
from streamapp.models.worker import WorkerState
from streamapp.mount import Mount
from streamapp.services.from_handler import rewind_from_handler
from streamapp.services.from_worker import pause_from_worker
from streamapp.store import Store
from tests.contract.moving.logs import Log

TTL = 10 * 86400.0
POLL_SECONDS = 0.05


class Worker:
    """Runs one subscription and writes down what its handler was given."""

    def __init__(self, mount: Mount, log: Log, calls: "Calls", store: Store, interval: float = 1e-6) -> None:
        self.calls = calls
        self.log = log
        self.ahead = 0.0
        """How many seconds this worker's clock is ahead."""
        self.heartbeat = Heartbeat([mount.name], TTL, store, self._clock)
        self.loop = EventLoop()
        settings = Configuration(HEARTBEAT_TTL=TTL, HEARTBEAT_INTERVAL=interval)
        parts = Parts(
            store=store,
            heartbeat=self.heartbeat,
            loop=self.loop,
            configuration=settings,
            clock=self._clock,
            rewind=rewind_from_handler,
            pause=pause_from_worker,
        )
        self.consumer = assemble(mount, log.broker, parts)
        self.heartbeat.beat()

    def run_once(self) -> None:
        self.consumer.run_once(POLL_SECONDS)

    def save(self) -> None:
        assert self.consumer.saver.save_once(), "the database failed"

    def stop(self) -> None:
        """End as after SIGTERM."""
        self.consumer.finish()
        self.heartbeat.depart()
        self._close_loop()

    def crash(self) -> None:
        """End as after `kill -9`, noticed at once."""
        self.consumer.lanes.close()
        self.consumer.reading.close()
        WorkerRow.objects.filter(id=self.heartbeat.identity).update(state=WorkerState.DEAD)
        self._close_loop()

    def _clock(self) -> float:
        return time.monotonic() + self.ahead

    def _close_loop(self) -> None:
        if self.consumer.mount.shape.is_async:
            self.loop.run(sync_to_async(connections.close_all)())
        self.loop.close()

    @property
    def handled(self) -> list[str]:
        return self.calls.values

    @property
    def shards(self) -> list[str]:
        """The numbers of the shards that it holds."""
        return sorted(self.log.number(shard.id) for shard in self.consumer.holdings.states)

    def of(self, partition: int | str) -> list[str]:
        """What was handled of one partition, in order."""
        return [value for value in self.handled if value.startswith(f"{partition}@")]

    def forget(self) -> None:
        self.handled.clear()

    def when(self, value: str, *reactions: Callable[[Any], Any]) -> None:
        """React to the next deliveries of a record, in this order; without a reaction it is acked."""
        self.calls.reactions.setdefault(value, []).extend(reactions)


class Calls:
    """What a handler was given, and how it is to react."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.reactions: dict[str, list[Callable[[Any], Any]]] = {}

    def record(self, value: str, ctx: Any) -> Any:
        self.values.append(value)
        waiting = self.reactions.get(value)
        return waiting.pop(0)(ctx) if waiting else None

    def batch(self, values: Sequence[str], ctx: Any) -> Any:
        """The outcome is the last one that a record's reaction gave for the whole batch."""
        outcome = None
        for value in values:
            outcome = self.record(value, ctx) or outcome
        return outcome

    async def async_record(self, value: str, ctx: Any) -> Any:
        return await _awaited(self.record(value, ctx))

    async def async_batch(self, values: Sequence[str], ctx: Any) -> Any:
        outcome = None
        for value in values:
            outcome = await _awaited(self.record(value, ctx)) or outcome
        return outcome


async def _awaited(outcome: Any) -> Any:
    return await outcome if hasattr(outcome, "__await__") else outcome
