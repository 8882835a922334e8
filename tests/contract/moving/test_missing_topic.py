"""A topic that doesn't exist yet. (The local broker makes the topics that a subscription names.)"""

import logging

import pytest

from streamapp.brokers.kafka.sources import KafkaTopics
from tests.contract.moving.logs import new_name

pytestmark = pytest.mark.live("kafka")
MISSING = "Stream doesn't exist yet"


@pytest.fixture
def log(kafka):
    return kafka


def warnings(caplog):
    return [message for message in caplog.messages if MISSING in message]


@pytest.mark.parametrize("start_at", ["latest", "earliest"])
def test_it_is_waited_for_with_one_warning_and_then_read_from_its_first_record(log, stages, caplog, start_at):
    name = new_name()
    stage = stages(name)
    worker = stage.start(start_at=start_at)
    with caplog.at_level(logging.WARNING):
        stage.run(until=lambda: warnings(caplog))
        log.write(log.topic(name=name), ["first", "second"])
        stage.run(until=lambda: worker.handled)
    stage.run()
    assert worker.handled == ["first", "second"]
    assert len(warnings(caplog)) == 1


def test_the_other_topics_of_the_subscription_are_read_meanwhile(log, stages, caplog):
    there, missing = log.topic(), new_name()
    stage = stages(KafkaTopics([there, missing]))
    worker = stage.start(start_at="latest")
    with caplog.at_level(logging.WARNING):
        stage.run(until=lambda: warnings(caplog))
    log.write(there, ["meanwhile"])
    stage.run()
    log.write(log.topic(name=missing), ["late"])
    stage.run()
    assert worker.handled == ["meanwhile", "late"]
