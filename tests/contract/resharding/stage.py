"""One subscription to one stream, with the workers that share it, driven step by step."""

import itertools
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from streamapp.brokers.kinesis import KinesisStream
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Checkpoint, HeldRecord
from streamapp.mount import Mount, Shape
from streamapp.positions import SHARD_END, parse
from streamapp.records import Shard
from streamapp.services import rewind as service
from streamapp.store import Store
from tests.contract.moving.logs import new_name
from tests.contract.moving.worker import Worker
from tests.contract.resharding.journal import Journal, JournalCalls
from tests.live.kinesis_service import Service

PATIENCE_SECONDS = 60.0
KEYS = 7


class ShardWorker(Worker):
    @property
    def shards(self) -> list[str]:
        return sorted(shard.id for shard in self.consumer.holdings.states)


class Stage:
    """Starts workers and runs them in turn. Records are `key:number`, numbered over the whole stream."""

    def __init__(self, service: Service, shards: int = 1, broker: Any = None) -> None:
        self.service = service
        self.broker = broker or service.broker
        self.source: KinesisStream = service.stream(shards)
        self.name = new_name()
        self.store = Store("default")
        self.journal = Journal()
        self.workers: list[ShardWorker] = []
        self._numbers = itertools.count()
        self._identities = itertools.count()
        self.published: list[str] = []

    # Workers

    def start(self, interval: float = 1e-6, **options: Any) -> ShardWorker:
        """Start a worker that reads from the oldest record on, unless `start_at` says else.

        It looks for shards at an interval of so many seconds; by default whenever it goes round.
        """
        calls = JournalCalls(self.journal, next(self._identities))
        options = {"start_at": "earliest", **options}
        positions = {
            key: value and parse(value)
            for key, value in options.items()
            if key in ("start_at", "replay_from")
        }
        mount = Mount(
            name=self.name,
            handler=calls.record,
            shape=Shape(is_async=False, is_batch=False, takes_context=True, annotation=str),
            decode=bytes.decode,
            broker="kinesis",
            source=self.source,
            group=self.name,
            batch=None,
            **{**options, **positions},
        )
        log: Any = SimpleNamespace(broker=self.broker)
        self.workers.append(ShardWorker(mount, log, calls, self.store, interval))
        return self.workers[-1]

    def stop(self, worker: ShardWorker) -> None:
        self.workers.remove(worker)
        worker.stop()

    def crash(self, worker: ShardWorker) -> None:
        self.workers.remove(worker)
        worker.crash()

    def run(self, until: Callable[[], object], what: str, saving: bool = True) -> None:
        """Let all workers go round, and their savers with them, until the condition holds."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not until():
            assert time.monotonic() < deadline, f"This never came true: {what}; {self._describe()}"
            self.step()
            if saving:
                self.save()

    def step(self) -> None:
        for worker in self.workers:
            with suppress(BrokerUnavailable):  # it says that nothing is lost: ask again
                worker.run_once()

    def save(self) -> None:
        for worker in self.workers:
            worker.save()

    def run_through(self) -> None:
        """Run until all that was published was handled."""
        self.run(lambda: set(self.published) <= set(self.journal.values), "everything was handled")

    def holders(self) -> list[int]:
        """How many shards each worker holds."""
        return sorted(len(worker.shards) for worker in self.workers)

    # The stream

    def publish(self, count: int) -> list[str]:
        """Publish so many records, over a few keys, in the order of their numbers."""
        numbers = list(itertools.islice(self._numbers, count))
        values = [f"{number % KEYS}:{number}" for number in numbers]
        pairs = [(value.partition(":")[0].encode(), value.encode()) for value in values]
        self.broker.publish_many(self.source.stream, pairs)
        self.published += values
        return values

    def shards(self) -> list[Shard]:
        return self.broker.shards(self.source)

    def split(self, shard: Shard) -> list[Shard]:
        """Split a shard and return its children."""
        before = self.shards()
        self.service.split(shard)
        return [child for child in self.shards() if child not in before]

    def merge(self, one: Shard, other: Shard) -> Shard:
        self.service.merge(one, other)
        return self.shards()[-1]

    def resize(self, count: int) -> None:
        """Change the number of open shards."""
        client = self.service.client
        client.update_shard_count(
            StreamName=self.source.stream, TargetShardCount=count, ScalingType="UNIFORM_SCALING"
        )
        self.service.wait_until_active(self.source.stream)

    # The tables

    def rows(self) -> dict[str, Checkpoint]:
        found = Checkpoint.objects.filter(subscription__name=self.name).order_by("shard")
        return {row.shard: row for row in found}

    def row(self, shard: Shard) -> Checkpoint:
        return Checkpoint.objects.get(
            subscription__name=self.name, shard=shard.id, incarnation=shard.incarnation
        )

    def has_ended(self, *shards: Shard) -> bool:
        rows = self.rows()
        return all(shard.id in rows and rows[shard.id].position == SHARD_END for shard in shards)

    def held(self) -> list[str]:
        rows = HeldRecord.objects.filter(checkpoint__subscription__name=self.name)
        return sorted(rows.values_list("checkpoint__shard", flat=True))

    def rewind(self, position: str, shards: Iterable[Shard] | None = None) -> None:
        """Do what an operator does: plan and apply."""
        chosen = None if shards is None else list(shards)
        plan = service.plan(self.name, parse(position), chosen, broker=self.broker, source=self.source)
        service.apply(plan, origin="test")

    def close(self) -> None:
        while self.workers:
            self.crash(self.workers[-1])

    def _describe(self) -> str:
        missing = sorted(set(self.published) - set(self.journal.values))
        rows = {shard: self.broker.describe(row.position) for shard, row in self.rows().items()}
        return f"missing {missing[:5]} of {len(missing)}, held by worker {self.holders()}, rows {rows}"
