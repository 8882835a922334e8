"""A handler that does anything: good, bad, and odd things in a row."""

from asyncio import CancelledError
from typing import TYPE_CHECKING, Any

from streamapp import Outcome
from streamapp.exceptions import BrokerUnavailable
from streamapp.positions import At
from tests.chaos.model import Life

if TYPE_CHECKING:
    from tests.chaos.world import Worker, World


class Odd(Exception):
    """Can't even say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class Handler:
    """Tells the model what it is given and what it answers, the way an onlooker would see it."""

    worker: "Worker"

    def __init__(self, world: "World") -> None:
        self.world = world
        self.random = world.random
        self.values: list[str] = []

    def record(self, value: str, ctx: Any) -> Any:
        [life] = self._deliver([value])
        self._act(value, ctx)
        outcome = self._outcome()
        self._judge(value, life, outcome)
        return outcome

    def batch(self, values: list[str], ctx: Any) -> Any:
        lives = self._deliver(values)
        self._act(values[0], ctx)
        outcomes = [self._outcome() for _ in values][: self.random.choice([len(values), len(values), 1])]
        if self.world.calm or self.random.random() < 0.5:
            outcomes = [None] * len(values)
        for value, life, outcome in zip(values, lives, outcomes, strict=False):
            self._judge(value, life, outcome)
        return [outcome or Outcome.ack() for outcome in outcomes]

    def _deliver(self, values: list[str]) -> list[Life]:
        self.world.number()
        lives = [self._life(value) for value in values]
        for value, life in zip(values, lives, strict=True):
            self.world.model.delivered(life, _offset(value))
        return lives

    def _life(self, value: str) -> Life:
        """Return under which epoch the record was delivered: the one that the worker believes in."""
        return self._lives()[value.partition("@")[0]]

    def _lives(self) -> dict[str, Life]:
        states = self.worker.consumer.holdings.states
        return {shard.id: (state.checkpoint, state.epoch) for shard, state in states.items()}

    def _act(self, value: str, ctx: Any) -> None:
        """Do something beside, or several things."""
        while not self.world.calm and self.random.random() < 0.25:
            self.random.choice([self._seek, self._rewind, self._meanwhile, self._fail])(value, ctx)

    def _seek(self, value: str, ctx: Any) -> None:
        lives, ends = self._lives(), self.world.ends()
        own = At(value.partition("@")[0], self.random.randint(0, _offset(value) + 1))
        position = self.random.choice([own, own, self.world.position()])
        ctx.seek(position)
        for shard, end in ends.items():
            if shard.id in lives and (not isinstance(position, At) or position.names(shard)):
                self.world.model.sought(lives[shard.id], _number(position, end))

    def _rewind(self, value: str, ctx: Any) -> None:
        position = self.world.position()
        ctx.rewind(position)
        for checkpoint, partition in self.world.model.numbered.items():
            for shard, end in self.world.ends().items():
                named = not isinstance(position, At) or position.names(shard)
                if int(shard.id) == partition and named:
                    self.world.model.skipped(checkpoint, _number(position, end))

    def _meanwhile(self, value: str, ctx: Any) -> None:
        """Let other threads and processes act while this handler runs."""
        if self.world.setting.nested:
            self.random.choice(self._others())()

    def _others(self) -> list[Any]:
        world, mine = self.world, self.worker
        return [mine.consumer.saver.save_once, world.run, world.save, world.rewind, world.beat, world.bury]

    def _fail(self, value: str, ctx: Any) -> None:
        raise self.random.choice(
            [ValueError("no"), Odd(), CancelledError(), BrokerUnavailable("down"), SystemExit(1)]
        )

    def _outcome(self) -> Outcome | None:
        if self.world.calm or self.random.random() < 0.7:
            return None
        return self.random.choice([Outcome.drop("old"), Outcome.hold("wait"), Outcome.retry("again")])

    def _judge(self, value: str, life: Life, outcome: Outcome | None) -> None:
        if outcome is None or outcome.settles:
            self.world.model.finish(life, _offset(value))


def _offset(value: str) -> int:
    return int(value.partition("@")[2])


def _number(position: Any, end: int) -> int:
    return position.number if isinstance(position, At) else 0 if str(position) == "earliest" else end
