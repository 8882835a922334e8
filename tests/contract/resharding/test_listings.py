"""How often a stream is asked for its shards, and what happens when it doesn't answer."""

import logging

import pytest

from streamapp import Outcome
from streamapp.engine.discovery import Discovery
from streamapp.engine.opening import Opening
from streamapp.store import Store
from tests.contract.resharding.brokers import CountingBroker

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]
INTERVAL = 3.0


@pytest.fixture
def counting():
    broker = CountingBroker()
    yield broker
    broker.close()


@pytest.fixture
def stage(stages, counting):
    return stages(shards=2, broker=counting)


def test_a_look_costs_one_listing(stage, counting):
    worker = stage.start()
    stage.run(lambda: stage.holders() == [2], "both shards are held")
    counting.listings = 0
    for _ in range(5):
        worker.run_once()
    assert counting.listings == 5


def test_within_the_interval_nothing_is_listed_whatever_is_read(stage, counting):
    worker = stage.start(interval=3600)
    stage.run(lambda: stage.holders() == [2], "both shards are held")
    counting.listings = 0
    stage.publish(100)
    stage.run_through()
    assert len(worker.handled) == 100
    assert counting.listings == 0


def test_a_shard_that_ends_costs_a_listing_unless_its_children_are_known(stage, counting):
    one, other = stage.shards()
    worker = stage.start(interval=3600)
    stage.publish(20)
    stage.run_through()
    worker.when(stage.journal.of(other)[-1], lambda ctx: Outcome.hold("unknown carrier"))
    stage.rewind("earliest", [other])
    stage.run(lambda: stage.held() == [other.id], "a record is held")
    for parent in (one, other):
        stage.service.split(parent)
    counting.listings = 0
    stage.run(lambda: stage.has_ended(one) and stage.holders() == [3], "the children of one are held")
    assert counting.listings == 1 + 1, "one for the children, one for the first positions of the new rows"

    stage.rewind("earliest", [other])
    counting.listings = 0
    stage.run(lambda: stage.has_ended(other) and stage.holders() == [4], "the children of both are held")
    assert counting.listings == 0


def test_all_subscriptions_of_a_process_share_a_listing(stage, counting):
    stage.start()
    stage.run(lambda: stage.holders() == [2], "both shards are held")
    mount = stage.workers[0].consumer.mount
    openings = [Opening(mount, counting, Store("default")) for _ in range(5)]
    for opening in openings:
        opening.start()
    counting.listings = 0
    for opening in openings:
        discovery = Discovery(mount, counting, opening, Store("default"), INTERVAL)
        discovery.look()
        assert len(discovery.readable()) == 2
    assert counting.listings == 0, "the last one is no older than the interval"


def test_a_stream_that_does_not_list_its_shards_is_read_all_the_same(stage, counting, caplog):
    stage.start()
    stage.run(lambda: stage.holders() == [2], "both shards are held")
    counting.refuses = True
    with caplog.at_level(logging.WARNING, "streamapp.sharing"):
        stage.publish(20)
        stage.run_through()
    assert "Shards not listed, reading goes on." in caplog.text


def test_while_listings_fail_a_shard_that_ends_does_not_ask_for_one_again_and_again(stage, counting):
    stage.start(interval=3600)
    stage.run(lambda: stage.holders() == [2], "both shards are held")
    (ending, _) = stage.shards()
    stage.service.split(ending)
    counting.refuses, counting.listings = True, 0
    stage.run(lambda: stage.has_ended(ending), "the shard says that it has ended")
    for _ in range(10):
        stage.step()
    assert counting.listings == 1
