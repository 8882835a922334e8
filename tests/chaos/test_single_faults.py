"""One fault at a time, where a history of many would have to be lucky."""

from random import Random

import pytest
from django.db import OperationalError

from tests.chaos.world import Setting, World


@pytest.fixture
def make(db):
    def make(**different):
        standard = {"batch": False, "grouped": False, "nested": False, "max_ahead": 10_000}
        world = World(Random(1), Setting(**{**standard, "replay_from": None, **different}))
        world.calm = True
        world.start()
        return world, world.workers[0]

    return make


def rounds(world, number):
    for _ in range(number):
        world.now += 1.0
        world.run()


def test_an_assigned_shard_that_the_cluster_does_not_know_yet_is_opened_once_it_does(make, monkeypatch):
    """A broker that hasn't heard of a new partition; without another look it would never be read."""
    world, worker = make(grouped=True)
    rounds(world, 2)
    world.grow()
    bounds = world.broker.bounds
    monkeypatch.setattr(world.broker, "bounds", lambda shards: {})
    world.rebalance()
    rounds(world, 2)
    assert len(worker.shards) == 2
    monkeypatch.setattr(world.broker, "bounds", bounds)
    rounds(world, 2)
    assert len(worker.shards) == 3


def test_while_the_database_is_down_nothing_is_read_further_than_max_ahead(make, monkeypatch):
    world, worker = make(max_ahead=4)
    for _ in range(10):
        world.publish()
    database = worker.consumer.lanes.handling._database
    monkeypatch.setattr(database, "refresh", fail)
    rounds(world, 10)  # `run` compares after each round
    assert worker.consumer.busy


def test_a_lease_that_could_not_be_released_is_released_later(make, monkeypatch):
    """Nobody takes it from a living worker, and that worker has its share without it."""
    world, worker = make()
    rounds(world, 2)
    assert len(worker.shards) == 2
    world.start()
    monkeypatch.setattr(worker.consumer._assigning._store.leases, "release", fail)
    rounds(world, 10)
    assert len(worker.shards) == 1
    monkeypatch.undo()
    rounds(world, 10)
    assert [len(each.shards) for each in world.workers] == [1, 1]


def fail(*_: object):
    raise OperationalError("server closed the connection")
