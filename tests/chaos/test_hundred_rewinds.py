"""A hundred rewinds in the middle of traffic, batches, rebalances and handoffs, the same for the same seed.

After a rewind no checkpoint ever outruns what was handled since, and nothing behind the new position
is missed.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from streamapp.models import Rewind
from streamapp.store.checkpoints import Save
from tests.chaos.handler import Handler
from tests.chaos.model import Model, claim
from tests.chaos.test_interleavings import check_end, identities
from tests.chaos.world import Setting, World

__all__ = ["identities"]

HISTORIES, REWINDS, STEPS = 5, 5, 25


@dataclass
class Since:
    """The last rewind of a shard: its epoch and position, and what was handled under it or a later one."""

    epoch: int
    position: int
    handled: set[int] = field(default_factory=set)


class RewoundModel(Model):
    """Also knows what has happened to each shard since it was rewound last."""

    def __init__(self) -> None:
        super().__init__()
        self.since: dict[int, Since] = {}

    def rewound(self, rewind: Rewind) -> None:
        for shard in rewind.shards.all():
            self.since[shard.checkpoint_id] = Since(shard.epoch, shard.new_position)

    def finish(self, life: tuple[int, int], offset: int) -> None:
        super().finish(life, offset)
        since = self.since.get(life[0])
        if since and life[1] >= since.epoch:
            since.handled.add(offset)

    def frontier(self, checkpoint: int) -> int:
        """Return up to where everything was handled since the last rewind, without a gap."""
        since = self.since[checkpoint]
        known = since.handled | self.undecodable[self.numbered[checkpoint]]
        position = since.position
        while position in known:
            position += 1
        return position

    def _check(self, worker: Any, save: Save) -> None:
        super()._check(worker, save)
        if save.checkpoint in self.since:
            frontier = self.frontier(save.checkpoint)
            claim(save.place.position <= frontier, f"{save} outran what was handled since: {frontier}")


class Interrupted(Handler):
    """Acks everything, and now and then something happens while it runs."""

    def _act(self, value: str, ctx: Any) -> None:
        if self.world.setting.nested and self.random.random() < 0.1:
            world, mine = self.world, self.worker
            self.random.choice(
                [mine.consumer.saver.save_once, world.save, world.rewind, world.publish, world.bury]
            )()


class RewoundWorld(World):
    """Nothing fails here, but much is moved."""

    handler = Interrupted
    judge = RewoundModel
    model: RewoundModel

    def __init__(self, random: Random, setting: Setting) -> None:
        super().__init__(random, setting)
        self.calm = True
        self.applied = 0

    def rewind(self) -> None:
        if self.applied < REWINDS:
            super().rewind()

    def _applied(self, rewind: Rewind) -> None:
        self.applied += 1
        self.number()
        self.model.rewound(rewind)


WEIGHTS = {
    World.run: 80,
    World.save: 12,
    World.beat: 5,
    World.pass_time: 8,
    World.publish: 12,
    World.rebalance: 6,
    World.crash: 3,
    World.stop: 4,
    World.bury: 2,
    World.grow: 1,
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("grouped", [False, True], ids=["spread", "grouped"])
@pytest.mark.parametrize("batch", [False, True], ids=["record", "batch"])
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_five_rewinds_in_the_middle_of_everything_miss_and_outrun_nothing(
    db, identities, seed, batch, grouped
):
    random = Random(f"rewinds {seed} {batch} {grouped}")
    identities(random)
    world = RewoundWorld(random, Setting.draw(random, batch=batch, grouped=grouped))
    for _ in range(random.choice([1, 2, 3])):
        world.start()
    while world.applied < REWINDS:
        for _ in range(STEPS):
            [step] = random.choices(list(WEIGHTS), list(WEIGHTS.values()))
            step(world)
        world.rewind()
    check_end(world)
    assert world.applied == REWINDS
    ends = {int(shard.id): end for shard, end in world.ends().items()}
    for checkpoint in world.model.since:
        assert world.model.frontier(checkpoint) == ends[world.model.numbered[checkpoint]]
