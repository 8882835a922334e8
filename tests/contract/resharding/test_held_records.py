"""A held record in a closed shard holds its children, until it is settled."""

import pytest

from streamapp import Outcome
from streamapp.positions import SHARD_END

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]


def hold(ctx):
    return Outcome.hold("unknown carrier")


def drop(ctx):
    return Outcome.drop("no such carrier")


@pytest.fixture
def held(stage):
    """A closed shard of ten records whose third one is held, with twenty records in its children."""
    stage.parent = stage.shards()[0]
    stage.first = stage.publish(10)
    worker = stage.start()
    worker.when(stage.first[2], hold)
    stage.run(lambda: stage.held() == [stage.parent.id], "the record is held")
    stage.children = stage.split(stage.parent)
    stage.behind = stage.publish(20)
    return stage


def go_round(stage, rounds=10):
    for _ in range(rounds):
        stage.step()
        stage.save()


@pytest.mark.parametrize("joiners", [0, 2])
def test_it_holds_the_children_on_every_worker(held, joiners):
    for _ in range(joiners):
        held.start()
    go_round(held)
    assert held.journal.values == held.first
    assert held.rows()[held.parent.id].position < SHARD_END
    assert [len(worker.shards) for worker in held.workers].count(1) == 1


def test_dropped_when_it_comes_again_after_a_restart_it_frees_the_children(held):
    go_round(held, 3)
    held.crash(held.workers[0])
    held.start().when(held.first[2], drop)
    held.run_through()
    assert held.journal.values[10:18] == held.first[2:], "the held record comes first"
    assert all(held.journal.is_after(child, held.parent) for child in held.children)
    held.run(lambda: held.has_ended(held.parent), "the parent says that it has ended")


def test_dropped_when_it_comes_again_after_a_rewind_it_frees_the_children(held):
    go_round(held, 3)
    held.workers[0].when(held.first[2], drop)
    held.rewind("earliest", [held.parent])
    held.run_through()
    assert held.journal.values[10:20] == held.first
    assert all(held.journal.is_after(child, held.parent) for child in held.children)
    held.run(lambda: held.has_ended(held.parent), "the parent says that it has ended")


@pytest.mark.parametrize(("workers", "interval"), [(1, 3600), (3, 1e-6)])
def test_a_rewind_to_before_a_split_brings_the_parent_before_its_children(stage, workers, interval):
    (parent,) = stage.shards()
    for _ in range(workers):
        stage.start(interval=interval)
    stage.publish(50)
    children = stage.split(parent)
    stage.publish(50)
    stage.run_through()
    stage.run(lambda: stage.has_ended(parent), "the parent says that it has ended")
    handled = len(stage.journal.calls)

    stage.rewind("earliest")
    stage.run(lambda: len(stage.journal.calls) >= handled + 100, "everything came again")
    del stage.journal.calls[:handled]
    assert sorted(stage.journal.values) == sorted(stage.published)
    assert stage.journal.is_in_order()
    assert all(stage.journal.is_after(child, parent) for child in children)
