"""START_AT: where a subscription starts that has no checkpoint."""

from datetime import timedelta

import pytest

from streamapp.brokers.kafka.sources import KafkaTopics
from streamapp.exceptions import InvalidPosition
from tests.contract.moving.logs import TOPICS
from tests.contract.moving.places import places


def test_earliest_starts_at_the_oldest_record_kept(log, stage):
    log.trim(stage.topic, 4)
    worker = stage.start(start_at="earliest")
    stage.run()
    assert worker.of(0) == places(0, range(4, 10))
    assert worker.of(1) == places(1, range(10))


def test_latest_reads_new_records_only(log, stage):
    worker = stage.start(start_at="latest")
    stage.run()
    log.fill(stage.topic, 2, partition=1)
    stage.run()
    assert worker.handled == places(1, [10, 11])


def test_without_it_a_subscription_starts_at_the_end(log, stage):
    worker = stage.start()
    stage.run()
    log.fill(stage.topic, 1)
    stage.run()
    assert worker.handled == ["0@10"]


def test_a_record_of_one_partition_is_the_first_and_the_other_partition_starts_at_its_end(log, stage):
    worker = stage.start(start_at="1@7")
    stage.run()
    assert worker.handled == places(1, [7, 8, 9])
    assert stage.stored() == {"0": 10, "1": 7}


@TOPICS
def test_a_record_of_one_topic_is_the_first_and_the_other_topic_starts_at_its_end(log, stages):
    letters, parcels = log.topic(filled=5), log.topic()
    log.write(parcels, ["parcel 0", "parcel 1", "parcel 2"])
    stage = stages(KafkaTopics([letters, parcels]))
    worker = stage.start(start_at=f"{parcels}/0@1")
    stage.run()
    assert worker.handled == ["parcel 1", "parcel 2"]


@TOPICS
def test_a_moment_starts_each_partition_at_its_first_record_since_and_otherwise_at_its_end(log, stages):
    topic = log.topic(partitions=3)
    for minute in range(5):
        log.write(topic, [f"0@{minute}"], at=log.now - timedelta(minutes=10 - minute))
    log.write(topic, ["1@0"], partition=1, at=log.now - timedelta(minutes=10))
    stage = stages(topic)
    worker = stage.start(start_at=(log.now - timedelta(minutes=8)).isoformat())
    stage.run()
    assert worker.handled == places(0, [2, 3, 4])
    assert stage.stored() == {"0": 2, "1": 1, "2": 0}


@TOPICS
def test_seven_days_ago_starts_at_the_first_record_of_the_last_seven_days(log, stages):
    topic = log.topic()
    for number, days in enumerate([9, 8, 6, 1]):
        log.write(topic, [f"0@{number}"], at=log.now - timedelta(days=days))
    stage = stages(topic)
    worker = stage.start(start_at="-7d")
    stage.run()
    assert worker.handled == places(0, [2, 3])


@pytest.mark.parametrize("start_at", ["latest", "-1h", "1@8", None])
def test_it_is_stored_before_the_first_delivery_so_a_crash_before_any_save_loses_nothing(
    log, stage, start_at
):
    options = {"start_at": start_at} if start_at else {}
    worker = stage.start(**options)
    stage.run(until=lambda: worker.shards)
    log.fill(stage.topic, 3)
    worker = stage.restart(worker, **options)
    stage.run()
    assert worker.of(0) == places(0, [10, 11, 12])
    assert worker.of(1) == (places(1, [8, 9]) if start_at == "1@8" else [])


def test_it_is_ignored_once_there_is_a_checkpoint(log, stage):
    worker = stage.start(start_at="0@6")
    stage.run()
    stage.save()
    log.fill(stage.topic, 1)
    worker = stage.restart(worker, start_at="earliest")
    stage.run()
    assert worker.handled == ["0@10"]


@pytest.mark.parametrize("option", ["start_at", "replay_from"])
@pytest.mark.parametrize("position", ["7@3", "nowhere/0@3"])
def test_a_position_that_names_nothing_of_the_subscription_fails_the_start_and_stores_nothing(
    stage, option, position
):
    worker = stage.start(**{option: position})
    with pytest.raises(InvalidPosition, match=position):
        worker.run_once()
    assert stage.stored() == {}


def test_a_position_that_names_nothing_fails_the_start_of_a_subscription_with_checkpoints_too(stage):
    worker = stage.start(start_at="earliest")
    stage.run()
    worker = stage.restart(worker, start_at="7@3")
    with pytest.raises(InvalidPosition, match="7@3"):
        worker.run_once()
