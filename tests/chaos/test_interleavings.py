"""Hundreds of steps in random order, the same for the same seed; STREAMAPP_SOAK_SEED gives others."""

import os
from random import Random
from uuid import UUID

import pytest

from streamapp.models import Checkpoint, HeldRecord, Lease
from tests.chaos.world import Setting, World

FIRST_SEED = int(os.environ.get("STREAMAPP_SOAK_SEED", "0"))
STORMS, STEPS = 3, 100
WEIGHTS = {
    World.run: 120,
    World.save: 10,
    World.beat: 10,
    World.pass_time: 25,
    World.publish: 10,
    World.shake: 4,
    World.rebalance: 4,
    World.rewind: 5,
    World.crash: 2,
    World.stop: 2,
    World.bury: 2,
    World.stall: 1,
    World.grow: 1,
}


@pytest.fixture
def identities(monkeypatch):
    """Draw identities from the seed, because shares depend on their order."""

    def seed(random):
        monkeypatch.setattr("streamapp.store.workers.uuid4", lambda: UUID(int=random.getrandbits(128)))

    return seed


@pytest.mark.timeout(300)
@pytest.mark.parametrize("grouped", [False, True], ids=["spread", "grouped"])
@pytest.mark.parametrize("batch", [False, True], ids=["record", "batch"])
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + 4))
def test_no_history_loses_a_record(db, identities, seed, batch, grouped):
    random = Random(f"{seed} {batch} {grouped}")
    identities(random)
    world = World(random, Setting.draw(random, batch=batch, grouped=grouped))
    for _ in range(random.choice([1, 2, 3])):
        world.start()
    for _ in range(STORMS):
        for _ in range(STEPS):
            [step] = random.choices(list(WEIGHTS), list(WEIGHTS.values()))
            step(world)
        check_nothing_is_stuck(world)
    check_end(world)


def check_nothing_is_stuck(world):
    """Once all is well again, the same workers handle everything; only held records wait."""
    with world.calmed():
        world.publish()
        settle(world, without_held)
    assert stored(world) == without_held(world)


def check_end(world):
    """Fresh workers handle the held records too, and let go of all shards when they stop."""
    world.calm = True
    world.faults.rate = 0.0
    for worker in list(world.workers):
        world.crash(worker)
    world.publish()
    settle(world, ends)
    check_all_handled(world)
    for worker in world.workers:
        worker.stop()
    leases = Lease.objects.filter(checkpoint__stream=world.source.topic)
    assert not leases.filter(worker__state="alive").exists()


def check_all_handled(world):
    rows = Checkpoint.objects.filter(stream=world.source.topic)
    assert stored(world) == ends(world)
    for shard, end in ends(world).items():
        known = world.model.finished[int(shard)] | world.model.undecodable[int(shard)]
        assert set(range(end)) <= known, f"never handled: {sorted(set(range(end)) - known)} of {shard}"
    assert not HeldRecord.objects.filter(checkpoint__in=rows).exists()


def settle(world, goal):
    """Let everything be handled and saved; it may take some rounds, but not for ever."""
    for number in range(400):
        if number % 50 == 5:
            world.rebalance()
        world.now += 1.0
        for worker in world.workers:
            worker.heartbeat.beat()
            world.run_one(worker)
        if number % 5 == 4:
            for worker in world.workers:
                assert worker.consumer.saver.save_once()
            if stored(world) == goal(world):
                return


def without_held(world):
    """Return where the checkpoints must be: in front of the first held record, or at the end."""
    held = HeldRecord.objects.filter(checkpoint__stream=world.source.topic).order_by("-position")
    first = dict(held.values_list("checkpoint__shard", "position"))
    return ends(world) | first


def ends(world):
    return {shard.id: end for shard, end in world.ends().items()}


def stored(world):
    return dict(Checkpoint.objects.filter(stream=world.source.topic).values_list("shard", "position"))
