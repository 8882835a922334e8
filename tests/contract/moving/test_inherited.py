"""An existing consumer group moves in without losing its place."""

import pytest

from tests.contract.moving.places import places

pytestmark = pytest.mark.live("kafka")


@pytest.fixture
def log(kafka):
    return kafka


def test_without_start_at_the_groups_committed_offset_is_taken_over_and_the_rest_is_at_its_end(log, stage):
    log.commit(stage.name, stage.topic, 6)
    worker = stage.start()
    stage.run()
    assert worker.handled == places(0, range(6, 10))
    assert stage.stored() == {"0": 6, "1": 10}


def test_start_at_wins_over_the_groups_committed_offset(log, stage):
    log.commit(stage.name, stage.topic, 6)
    worker = stage.start(start_at="0@8")
    stage.run()
    assert worker.handled == places(0, [8, 9])


def test_a_partition_that_start_at_does_not_name_keeps_the_groups_committed_offset(log, stage):
    log.commit(stage.name, stage.topic, 6)
    worker = stage.start(start_at="1@8")
    stage.run()
    assert (worker.of(0), worker.of(1)) == (places(0, range(6, 10)), places(1, [8, 9]))


def test_once_there_is_a_checkpoint_the_group_decides_nothing(log, stage):
    worker = stage.start(start_at="0@8")
    stage.run()
    stage.save()
    stage.stop(worker)
    log.commit(stage.name, stage.topic, 2)
    worker = stage.start()
    stage.run()
    assert worker.handled == []


def test_the_group_shows_what_was_saved_at_the_stop(log, stage):
    worker = stage.start(start_at="earliest")
    stage.run()
    stage.stop(worker)
    shards = log.shards(stage.topic)
    assert log.broker.inherited(stage.name, shards) == dict.fromkeys(shards, 10)
