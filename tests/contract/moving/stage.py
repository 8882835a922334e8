"""One subscription with its workers, on one log."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from streamapp.brokers.base import Source
from streamapp.brokers.kafka.sources import KafkaTopic
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Checkpoint, HeldRecord, Rewind
from streamapp.mount import Mount, Retry, Shape
from streamapp.positions import parse
from streamapp.records import Shard
from streamapp.services import rewind as service
from streamapp.store import Store
from tests.contract.moving.logs import Log, new_name, wait_for
from tests.contract.moving.worker import Calls, Worker

POSITIONS = ("start_at", "replay_from")


class Stage:
    """Starts workers of one subscription and runs them, in turn, until they have nothing to do."""

    def __init__(self, log: Log, source: Source | str) -> None:
        self.log = log
        self.source = KafkaTopic(source) if isinstance(source, str) else source
        self.name = new_name()
        self.store = Store("default")
        self.workers: list[Worker] = []

    def start(self, *, kind: str = "record", **options: Any) -> Worker:
        """Start a worker; positions are given as text. Nothing runs before `run`."""
        calls = Calls()
        positions = {key: parse(options.pop(key)) for key in POSITIONS if key in options}
        is_async, is_batch = kind.startswith("async"), kind.endswith("batch")
        mount = Mount(
            name=self.name,
            handler=getattr(calls, kind),
            shape=Shape(is_async, is_batch, takes_context=True, annotation=str),
            decode=bytes.decode,
            broker=self.log.broker.alias,
            source=self.source,
            group=self.name,
            **{
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

    def rewind(self, position: str, shards: list[Shard] | None = None) -> Rewind:
        """Do what an operator does: plan and apply."""
        return service.apply(self.plan(position, shards), origin="test")

    def plan(self, position: str, shards: list[Shard] | None = None) -> service.Plan:
        return service.plan(self.name, parse(position), shards, broker=self.log.broker, source=self.source)

    def rows(self) -> Any:
        return Checkpoint.objects.filter(subscription__name=self.name)

    def stored(self) -> dict[str, int]:
        """The stored positions by partition, for a stage with one topic."""
        return dict(self.rows().values_list("shard", "position"))

    def held(self) -> list[tuple[str, int]]:
        """The held records that an operator sees."""
        rows = HeldRecord.objects.filter(checkpoint__subscription__name=self.name)
        return sorted(rows.values_list("checkpoint__shard", "position"))

    def close(self) -> None:
        while self.workers:
            self.crash(self.workers[-1])

    def _run_once(self) -> None:
        for worker in self.workers:
            with suppress(BrokerUnavailable):  # it says that nothing is lost: ask again
                worker.run_once()

    def _is_at_rest(self) -> bool:
        shards = self.log.broker.shards(self.source)
        ends = {shard: bounds.end for shard, bounds in self.log.broker.bounds(shards).items()}
        holders = [
            (w, shard) for w in self.workers for shard in shards if shard in w.consumer.holdings.states
        ]
        return (
            sorted(shard for _, shard in holders) == shards
            and all(worker.shards for worker in self.workers[: len(shards)])
            and all(_is_through(worker, shard, ends[shard]) for worker, shard in holders)
        )

    def _describe(self) -> str:
        states = [
            (str(shard), state.target, state.watermark.next)
            for worker in self.workers
            for shard, state in worker.consumer.holdings.states.items()
        ]
        return f"everything is read; {states}, handled {[w.handled for w in self.workers]}"


def _is_through(worker: Worker, shard: Shard, end: int) -> bool:
    state = worker.consumer.holdings.states[shard]
    return state.target is None and state.watermark.next == end and not worker.consumer.busy


AT_ONCE = Retry(attempts=2, first=0.0, most=0.0)
