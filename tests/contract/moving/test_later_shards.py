"""Partitions and topics that appear after the first start, and topics that are made again."""

import logging

import pytest

from streamapp.brokers.kafka.sources import KafkaTopics
from tests.contract.moving.logs import TOPICS, new_name
from tests.contract.moving.places import places


@pytest.mark.parametrize("start_at", ["latest", "0@10", "-1h"])
def test_a_partition_that_appears_after_the_first_start_is_read_from_its_first_record(log, stage, start_at):
    worker = stage.start(start_at=start_at)
    stage.run()
    log.topic(partitions=3, name=stage.topic)
    log.fill(stage.topic, 3, partition=2)
    stage.run()
    assert worker.handled == places(2, range(3))


def test_a_partition_that_appears_while_nobody_runs_is_read_from_its_first_record(log, stage):
    worker = stage.start(start_at="latest")
    stage.run()
    stage.stop(worker)
    log.topic(partitions=3, name=stage.topic)
    log.fill(stage.topic, 3, partition=2)
    worker = stage.start(start_at="latest")
    stage.run()
    assert worker.handled == places(2, range(3))


def test_where_a_late_partition_starts_is_stored_before_its_first_delivery(log, stage):
    worker = stage.start(start_at="latest")
    stage.run()
    log.topic(partitions=3, name=stage.topic)
    stage.run()
    log.fill(stage.topic, 3, partition=2)
    worker = stage.restart(worker, start_at="latest")
    stage.run()
    assert worker.handled == places(2, range(3))


@TOPICS
def test_a_topic_that_appears_after_the_first_start_is_read_from_its_first_record(log, stages):
    prefix = new_name()
    log.topic(name=f"{prefix}-old", filled=5)
    stage = stages(KafkaTopics(f"^{prefix}-"))
    worker = stage.start(start_at="latest")
    stage.run()
    log.write(log.topic(name=f"{prefix}-new"), ["new 0", "new 1"])
    stage.run()
    assert worker.handled == ["new 0", "new 1"]


def test_a_topic_that_is_made_again_starts_afresh_in_a_row_of_its_own_and_says_so(log, stages, caplog):
    topic = log.topic(filled=10)
    stage = stages(topic)
    worker = stage.start(start_at="0@8")
    stage.run()
    stage.save()
    log.delete(topic)
    log.topic(name=topic)
    log.write(topic, ["again 0", "again 1"])
    with caplog.at_level(logging.WARNING):
        stage.run()
    stage.save()
    assert worker.handled == ["0@8", "0@9", "again 0", "again 1"]
    assert sorted(log.place(row.key, row.position) for row in stage.rows()) == [2, 10]
    assert any("made again" in message for message in caplog.messages)


def test_a_topic_that_was_made_again_while_nobody_ran_starts_afresh(log, stages):
    topic = log.topic(filled=10)
    stage = stages(topic)
    worker = stage.start(start_at="latest")
    stage.run()
    stage.stop(worker)
    log.delete(topic)
    log.topic(name=topic)
    log.write(topic, ["again 0", "again 1"])
    worker = stage.start(start_at="latest")
    stage.run()
    assert worker.handled == ["again 0", "again 1"]
