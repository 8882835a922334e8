"""`--until-caught-up` ends when everything that was there is handled, and not before."""

import pytest

from streamapp import KafkaPosition, Outcome
from streamapp.engine.catching_up import CatchingUp
from streamapp.models import Worker as WorkerRow
from tests.contract.moving.places import places


@pytest.fixture
def caught_up(log, stage):
    """A worker with its goal, both at the end of the log."""
    worker = stage.start(start_at="earliest")
    goal = CatchingUp(worker.consumer, log.broker, stage.store)
    assert not goal.is_done()
    return worker, goal


def test_it_is_done_when_all_is_handled_even_with_a_held_record(log, stage, caught_up):
    worker, goal = caught_up
    worker.when("0@3", lambda ctx: Outcome.hold("for an operator"))
    stage.run()
    assert goal.is_done()


def test_what_waits_to_be_read_is_not_done(log, stage):
    worker = stage.start(start_at="earliest", kind="batch", batch=3, max_ahead=6)
    goal = CatchingUp(worker.consumer, log.broker, stage.store)
    stage.run(until=lambda: worker.handled)
    assert not goal.is_done()
    stage.run()
    assert goal.is_done()


def test_what_came_since_the_last_read_is_not_done(log, stage):
    worker = stage.start(start_at="earliest")
    stage.run()
    log.fill(stage.topic, 1)
    goal = CatchingUp(worker.consumer, log.broker, stage.store)
    assert not goal.is_done()
    stage.run(until=goal.is_done)
    assert "0@10" in worker.handled


def test_where_nothing_comes_it_is_done_too(log, stage):
    worker = stage.start(start_at="latest")
    stage.run(until=CatchingUp(worker.consumer, log.broker, stage.store).is_done)
    assert worker.handled == []


def test_what_another_worker_has_read_and_not_saved_is_not_done_when_it_is_gone(log, stage):
    one, other = stage.start(start_at="latest"), stage.start(start_at="latest")
    stage.run()
    [shard] = other.shards
    log.fill(stage.topic, 3, partition=int(shard))
    stage.run()
    goal = CatchingUp(one.consumer, log.broker, stage.store)
    goal.is_done()
    stage.crash(other)
    assert not goal.is_done()
    stage.run(until=goal.is_done)
    assert one.handled == places(shard, [10, 11, 12])


def test_what_is_to_be_read_again_after_a_seek_is_not_done(log, stage, caught_up):
    worker, goal = caught_up
    for value in ("0@9", "1@9"):
        worker.when(value, lambda ctx: goal.is_done() or ctx.seek(KafkaPosition.earliest()))
    stage.run(until=lambda: "0@9" in worker.handled and "1@9" in worker.handled)
    assert not goal.is_done()
    stage.run()
    assert goal.is_done()


def test_what_was_read_and_then_lost_with_the_workers_life_is_not_done(log, stage, caught_up):
    worker, goal = caught_up
    for partition in "01":
        worker.when(f"{partition}@0", lambda ctx: worker.consumer.gate.interrupt())
    stage.run(until=lambda: worker.handled)
    goal.is_done()
    WorkerRow.objects.filter(id=worker.heartbeat.identity).update(state="dead")
    worker.heartbeat.beat()
    worker.consumer._is_alive()
    assert not goal.is_done()
    stage.run()
    assert goal.is_done()
