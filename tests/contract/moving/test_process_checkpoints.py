"""CHECKPOINTS = "process": nothing is remembered from one start to the next."""

import pytest

from tests.contract.moving.places import places


def restarted(stage, **options):
    """A worker that has been through an earlier life, in which it read everything."""
    worker = stage.start(checkpoints="process", **options)
    stage.run()
    stage.save()
    return stage.restart(worker, checkpoints="process", **options)


def test_a_restart_opens_at_the_tip(log, stage):
    worker = stage.start(checkpoints="process")
    stage.run()
    stage.crash(worker)
    log.fill(stage.topic, 3)
    worker = stage.start(checkpoints="process")
    stage.run()
    log.fill(stage.topic, 1)
    stage.run()
    assert worker.handled == ["0@13"]


@pytest.mark.parametrize("option", ["replay_from", "start_at"])
def test_every_start_opens_at_replay_from_and_otherwise_at_start_at(stage, option):
    worker = restarted(stage, **{option: "earliest"})
    stage.run()
    assert (worker.of(0), worker.of(1)) == (places(0, range(10)), places(1, range(10)))


def test_replay_from_wins_over_start_at_where_it_names_the_partition(stage):
    worker = restarted(stage, replay_from="0@8", start_at="earliest")
    stage.run()
    assert (worker.of(0), worker.of(1)) == (places(0, [8, 9]), places(1, range(10)))


def test_a_partition_that_no_position_names_opens_at_the_tip(log, stage):
    worker = stage.start(checkpoints="process")
    stage.run()
    stage.crash(worker)
    log.fill(stage.topic, 3, partition=1)
    worker = stage.start(checkpoints="process", replay_from="0@8")
    stage.run()
    assert worker.handled == places(0, [8, 9])


def test_a_partition_that_appears_while_it_runs_is_read_from_its_first_record(log, stage):
    worker = stage.start(checkpoints="process")
    stage.run()
    log.topic(partitions=3, name=stage.topic)
    log.fill(stage.topic, 3, partition=2)
    stage.run()
    assert worker.handled == places(2, range(3))


def test_the_rows_never_move(log, stage):
    worker = restarted(stage, replay_from="0@4")
    before = stage.stored()
    stage.run()
    log.fill(stage.topic, 3)
    stage.run()
    stage.save()
    stage.stop(worker)
    assert stage.stored() == before == {"0": 10, "1": 10}


@pytest.mark.parametrize("options", [{}, {"start_at": "earliest"}, {"replay_from": "latest"}])
def test_a_rewind_that_nobody_has_read_from_is_where_the_next_start_opens_and_no_later_one(stage, options):
    worker = stage.start(checkpoints="process", start_at="latest")
    stage.run()
    stage.stop(worker)
    stage.rewind("1@6")
    worker = stage.start(checkpoints="process", **options)
    stage.run()
    stage.save()
    assert worker.of(1) == places(1, range(6, 10))
    worker = stage.restart(worker, checkpoints="process", start_at="latest")
    stage.run()
    assert worker.handled == []


def test_a_rewind_reaches_a_worker_that_runs(stage):
    worker = stage.start(checkpoints="process")
    stage.run()
    stage.rewind("1@6")
    stage.save()
    stage.run()
    assert worker.handled == places(1, range(6, 10))
