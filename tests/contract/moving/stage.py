"""One subscription with its workers, on one log."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from streamapp.brokers.base import Source
from streamapp.engine.shard import ShardState
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Checkpoint, HeldRecord, Rewind
from streamapp.mount import Mount, Retry, Shape
from streamapp.positions import Position
from streamapp.records import Bounds, Shard
from streamapp.services import rewind as service
from streamapp.store import Store
from tests.contract.moving.logs import Log, new_name, wait_for
from tests.contract.moving.worker import Calls, Worker

POSITIONS = ("start_at", "replay_from")


class Stage:
    """Starts workers of one subscription and runs them, in turn, until they have nothing to do."""

    def __init__(self, log: Log, source: Source | str) -> None:
        self.log = log
        self.source = log.source(source) if isinstance(source, str) else source
        self.topic = self.source.streams()[0]
        self.name = new_name()
        self.store = Store("default")
        self.workers: list[Worker] = []
        self._quiet = time.monotonic()

    def start(self, *, kind: str = "record", **options: Any) -> Worker:
        """Start a worker; positions are given as text. Nothing runs before `run`."""
        calls = Calls()
        positions = {key: self.position(options.pop(key)) for key in POSITIONS if key in options}
        is_async, is_batch = kind.startswith("async"), kind.endswith("batch")
        mount = Mount(
            name=self.name,
            handler=getattr(calls, kind),
            shape=Shape(is_async, is_batch, takes_context=True, annotation=str),
            broker=self.log.broker.alias,
            source=self.source,
            group=self.name,
            **{
                "decode": bytes.decode,
                "batch": 100 if is_batch else None,
                "transaction": "none" if kind == "async_record" else "handler",
                **positions,
                **options,
            },
        )
        self.workers.append(Worker(mount, self.log, calls, self.store))
        return self.workers[-1]

    def run(self, until: Callable[[], object] | None = None) -> None:
        """Run all workers until they share the shards and have read them to their ends."""
        self._quiet = time.monotonic()
        wait_for(lambda: self._run_once() or (until or self._is_at_rest)(), self._describe)

    def save(self) -> None:
        for worker in self.workers:
            worker.save()

    def stop(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.stop()

    def crash(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.crash()

    def restart(self, worker: Worker, **options: Any) -> Worker:
        """Crash a worker, so that nothing is saved, and start another one."""
        self.crash(worker)
        return self.start(**options)

    def position(self, text: str) -> Position:
        return self.log.position(text, self.topic)

    def rewind(self, position: str, shards: list[Shard] | None = None) -> Rewind:
        """Do what an operator does: plan and apply."""
        return service.apply(self.plan(position, shards), origin="test")

    def plan(self, position: str, shards: list[Shard] | None = None) -> service.Plan:
        return service.plan(
            self.name, self.position(position), shards, broker=self.log.broker, source=self.source
        )

    def rows(self) -> Any:
        return Checkpoint.objects.filter(subscription__name=self.name)

    def stored(self) -> dict[str, int]:
        """The stored places by partition, for a stage with one topic."""
        return {self.log.number(row.shard): self.log.place(row.key, row.position) for row in self.rows()}

    def reviewed(self, plan: service.Plan) -> dict[str, int]:
        """The places that a plan would store, by partition."""
        rows = {row.pk: row.key for row in self.rows()}
        shards = [(rows[line.checkpoint], line.new) for line in plan.lines]
        return {self.log.number(shard.id): self.log.place(shard, new) for shard, new in shards}

    def held(self) -> list[tuple[str, int]]:
        """The held records that an operator sees."""
        rows = HeldRecord.objects.filter(checkpoint__subscription__name=self.name)
        held = [(row.checkpoint.key, row.position) for row in rows.select_related("checkpoint")]
        return sorted((self.log.number(shard.id), self.log.place(shard, at)) for shard, at in held)

    def close(self) -> None:
        while self.workers:
            self.crash(self.workers[-1])

    def _run_once(self) -> None:
        for worker in self.workers:
            before = len(worker.handled)
            with suppress(BrokerUnavailable):  # it says that nothing is lost: ask again
                worker.run_once()
            if len(worker.handled) > before:
                self._quiet = time.monotonic()

    def _is_at_rest(self) -> bool:
        """Tell whether all is read and shared; what asks the broker comes last, because it takes longest."""
        states = [state for worker in self.workers for state in worker.consumer.holdings.states.values()]
        if any(worker.consumer.busy for worker in self.workers) or any(s.target is not None for s in states):
            return False
        held = sorted(state.shard for state in states)
        bounds = self.log.broker.bounds(held)
        return (
            all(self._is_through(state, bounds.get(state.shard)) for state in states)
            and held == self.log.broker.shards(self.source)
            and all(worker.shards for worker in self.workers[: len(held)])
        )

    def _is_through(self, state: ShardState, bounds: Bounds | None) -> bool:
        if bounds is None:  # of a stream that is gone
            return True
        is_past = state.watermark.is_past(bounds, self._quiet)
        return is_past and (bounds.is_moment or state.watermark.next == bounds.end)

    def _describe(self) -> str:
        states = [
            (str(shard), state.target, state.watermark.next)
            for worker in self.workers
            for shard, state in worker.consumer.holdings.states.items()
        ]
        return f"everything is read; {states}, handled {[w.handled for w in self.workers]}"


AT_ONCE = Retry(attempts=2, first=0.0, most=0.0)
