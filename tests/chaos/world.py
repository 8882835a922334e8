"""A subscription with workers that come, go, die and stall, one step at a time."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any

from django.db import Error as DatabaseError
from django.db import OperationalError

from streamapp.brokers.kafka.sources import KafkaTopic
from streamapp.engine.keeper import Keeper
from streamapp.exceptions import BrokerUnavailable, StalePlan
from streamapp.models import Checkpoint, Rewind
from streamapp.models import Worker as WorkerRow
from streamapp.models.worker import WorkerState
from streamapp.mount import Mount, Retry, Shape
from streamapp.positions import At, Earliest, Latest, Position
from streamapp.records import Shard
from streamapp.services import rewind as service
from tests.chaos.broker import ChaosBroker
from tests.chaos.faults import Faults, ShakyStore
from tests.chaos.handler import Handler
from tests.chaos.model import Model, claim
from tests.contract.moving import worker as moving
from tests.contract.moving.local_log import LocalLog
from tests.contract.moving.logs import new_name

OUTAGES = (DatabaseError, BrokerUnavailable)
UNDECODABLE = b"\xff"


@dataclass(frozen=True)
class Setting:
    """What is different from history to history."""

    batch: bool
    grouped: bool
    nested: bool
    """Whether things happen while a handler runs; only without a transaction, which they would join."""
    max_ahead: int
    replay_from: Position | None

    @staticmethod
    def draw(random: Random, *, batch: bool, grouped: bool) -> "Setting":
        replay = random.choice([None, None, None, Earliest()])
        return Setting(batch, grouped, random.random() < 0.5, random.choice([2, 6, 10_000]), replay)


class Worker(moving.Worker):
    """A worker whose clock stands still unless it is moved."""

    world: "World"
    keeper: Keeper
    busy = False

    def _clock(self) -> float:
        return self.world.now + self.ahead

    def run_once(self) -> None:
        self.consumer.run_once(0.0)


class World:
    """Everything there is in one history. Every method is one step that may fail half-way."""

    handler = Handler
    judge = Model

    def __init__(self, random: Random, setting: Setting) -> None:
        self.random = random
        self.setting = setting
        self.now = 0.0
        self.calm = False
        self.faults = Faults(random)
        self.model = self.judge()
        self.broker = ChaosBroker(self.faults, grouped=setting.grouped)
        self.log = LocalLog()
        """The same log, to write to without faults."""
        self.source = KafkaTopic(new_name())
        self.workers: list[Worker] = []
        self.log.make(self.source.topic, 2)
        self.publish()

    def start(self) -> None:
        calls = self.handler(self)
        worker = Worker.__new__(Worker)
        worker.world = self
        store = ShakyStore(self.faults, lambda *what: self._heard(worker, *what))
        moving.Worker.__init__(
            worker,
            self._mount(calls),
            SimpleNamespace(broker=self.broker, number=self.log.number),
            calls,
            store,
        )
        calls.worker = worker
        worker.consumer._assigning._group._pause = lambda seconds: None
        self._shake_refresh(worker.consumer.lanes.handling._database)
        worker.keeper = Keeper([worker.consumer], worker.heartbeat.life, worker._clock)
        self.workers.append(worker)

    def run(self) -> None:
        """Let a worker do a round, as its lane does; a group that has changed is soon rebalanced."""
        if self.broker.group and self.broker.group.unbalanced and self.random.random() < 0.3:
            self.rebalance()
        worker = self.random.choice(self.workers)
        self.run_one(worker)

    def run_one(self, worker: Worker) -> None:
        if worker.busy:
            return  # its lane is in a handler
        worker.busy = True
        try:
            with suppress(*OUTAGES):
                worker.run_once()
        except SystemExit:
            worker.busy = False
            self.crash(worker)
        finally:
            worker.busy = False
        for shard, state in worker.consumer.holdings.states.items():
            ahead = state.watermark.ahead()
            claim(ahead <= self.setting.max_ahead, f"{shard} was read {ahead} records ahead")

    def save(self) -> None:
        self.random.choice(self.workers).consumer.saver.save_once()

    def beat(self) -> None:
        worker = self.random.choice(self.workers)
        worker.heartbeat.beat()
        worker.keeper.run_once()

    def pass_time(self) -> None:
        self.now += self.random.choice([0.1, 1.0, 5.0])

    def publish(self) -> None:
        """Add a few records to a partition; some can't be decoded."""
        topic = self.source.topic
        shard = self.random.choice(self.log.shards(topic))
        number = int(shard.id)
        first = self.ends()[shard]
        places = range(first, first + self.random.randint(1, 10))
        spoilt = {place for place in places if self.random.random() < 0.07}
        self.model.undecodable[number] |= spoilt
        values = [UNDECODABLE if place in spoilt else f"{number}@{place}".encode() for place in places]
        key = self.log._key(number, len(self.log.shards(topic)))
        self.log.broker.publish_many(topic, [(key, value) for value in values])

    def grow(self) -> None:
        """Add a partition."""
        self.log.make(self.source.topic, min(4, len(self.log.shards(self.source.topic)) + 1))

    def crash(self, worker: Worker | None = None) -> None:
        """Kill a worker; another one starts."""
        worker = worker or self.random.choice(self.workers)
        if not worker.busy:
            self.workers.remove(worker)
            worker.crash()
            self.start()

    def stop(self) -> None:
        """End a worker as SIGTERM does; another one starts."""
        worker = self.random.choice(self.workers)
        if not worker.busy:
            self.workers.remove(worker)
            worker.consumer.gate.stop()
            worker.stop()
            self.start()

    def bury(self) -> None:
        """Declare a worker dead that goes on and hears of it at its next heartbeat only."""
        worker = self.random.choice(self.workers)
        WorkerRow.objects.filter(id=worker.heartbeat.identity).update(state=WorkerState.DEAD)

    @contextmanager
    def calmed(self) -> Iterator[None]:
        """Let no faults happen, and handlers do nothing odd."""
        self.calm, rate, self.faults.rate = True, self.faults.rate, 0.0
        self._bury_ghosts()
        yield
        self.calm, self.faults.rate = False, rate

    def _bury_ghosts(self) -> None:
        """Let identities expire that nobody has, because the reply that gave them was lost."""
        mine = [worker.heartbeat.identity for worker in self.workers]
        WorkerRow.objects.exclude(id__in=mine).update(state=WorkerState.DEAD)

    def stall(self) -> None:
        """Let a worker's life run out by its own clock."""
        worker = self.random.choice(self.workers)
        worker.ahead += 2 * moving.TTL
        worker.keeper.run_once()

    def ends(self) -> dict[Shard, int]:
        """Return where the partitions end."""
        shards = self.log.shards(self.source.topic)
        return {shard: bounds.end for shard, bounds in self.log.broker.bounds(shards).items()}

    def rebalance(self) -> None:
        if self.broker.group is not None:
            self.broker.group.rebalance(self.ends())

    def rewind(self) -> None:
        """Do what an operator does."""
        position = self.position()
        with suppress(*OUTAGES, StalePlan, ValueError):
            plan = service.plan(self.source.topic, position, broker=self.broker, source=self.source)
            self._applied(service.apply(plan, origin="test"))
            for line in plan.lines:
                self.number()
                self.model.skipped(line.checkpoint, line.new)

    def _applied(self, rewind: Rewind) -> None:
        """Note a rewind that was stored; for histories that look at each."""

    def position(self) -> Position:
        shard = self.random.choice(self.log.shards(self.source.topic))
        end = self.ends()[shard]
        near = At(shard.id, self.random.randint(0, end))
        return self.random.choice([near, near, near, Earliest(), Latest()])

    def shake(self) -> None:
        """Make faults rarer or more frequent."""
        self.faults.rate = 0.0 if self.calm else self.random.choice([0.0, 0.0, 0.0, 0.02, 0.1])

    def number(self) -> None:
        """Learn which checkpoint is of which partition."""
        rows = Checkpoint.objects.filter(stream=self.source.topic)
        self.model.numbered = {pk: int(shard) for pk, shard in rows.values_list("id", "shard")}

    def _shake_refresh(self, database: Any) -> None:
        """Let the database be down when a call is about to start."""
        refresh = database.refresh

        def shaky() -> None:
            self.faults.strike(OperationalError, "refresh")
            refresh()

        database.refresh = shaky

    def _heard(self, worker: Worker, name: str, arguments: Any, result: Any) -> None:
        if name in ("take", "take_free"):
            self.number()
            replayed = self.setting.replay_from is not None
            places = {(lease.checkpoint, lease.epoch): lease.position for lease in result}
            self.model.opened.update({} if replayed else places)
        if name == "save":
            self.model.saved(worker.consumer.holdings.worker, arguments[0], result)

    def _mount(self, calls: Handler) -> Mount:
        batch = self.setting.batch
        return Mount(
            name=self.source.topic,
            handler=calls.batch if batch else calls.record,
            shape=Shape(is_async=False, is_batch=batch, takes_context=True, annotation=str),
            decode=bytes.decode,
            broker="local",
            source=self.source,
            group=self.source.topic,
            batch=5 if batch else None,
            transaction="none" if self.setting.nested else "handler",
            start_at=Earliest(),
            replay_from=self.setting.replay_from,
            retry=Retry(attempts=3, first=0.5, most=2.0),
            max_ahead=self.setting.max_ahead,
        )
