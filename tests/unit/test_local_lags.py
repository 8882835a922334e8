"""What the local reader knows of its lag without asking the database."""

from datetime import UTC, datetime, timedelta

import pytest

from streamapp.brokers.base import Subscribing
from streamapp.brokers.local import LocalBroker, LocalStream
from streamapp.brokers.reading import Behind

pytestmark = pytest.mark.django_db
SOURCE = LocalStream("lags")


class Clock:
    def __init__(self):
        self.now = datetime(2026, 11, 1, tzinfo=UTC)

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def broker(clock):
    return LocalBroker("local", {}, clock=clock)


@pytest.fixture
def reader(broker):
    reader = broker.reader(Subscribing("lags", SOURCE, "lags", limit=10))
    reader.open(dict.fromkeys(broker.shards(SOURCE), 0))
    return reader


def publish(broker, count):
    broker.publish_many("lags", [(None, b"")] * count)


def behind(reader):
    [lag] = reader.lags().values()
    return lag


def test_it_counts_what_was_not_delivered_and_says_how_old_that_is(broker, reader, clock):
    publish(broker, 15)
    clock.pass_by(7)
    reader.poll(0)
    assert behind(reader) == Behind(5, 7000)
    reader.poll(0)
    assert behind(reader) == Behind(0, 0)


def test_what_comes_after_a_quiet_night_is_not_a_night_behind(broker, reader, clock):
    publish(broker, 10)
    reader.poll(0)
    clock.pass_by(8 * 3600)
    assert behind(reader) == Behind(0, 0)
    publish(broker, 30)
    clock.pass_by(2)
    reader.poll(0)
    assert behind(reader) == Behind(20, 2000)


def test_asking_takes_no_query(broker, reader, django_assert_num_queries):
    publish(broker, 15)
    reader.poll(0)
    with django_assert_num_queries(0):
        reader.lags()


def test_a_shard_that_rests_or_was_closed_is_left_out(broker, reader):
    publish(broker, 15)
    shards = broker.shards(SOURCE)
    reader.pause(shards)
    reader.poll(0)
    assert reader.lags() == {}
    reader.resume(shards)
    reader.poll(0)
    assert behind(reader).records == 5
    reader.close_shards(shards)
    assert reader.lags() == {}


def test_a_shard_that_was_opened_elsewhere_is_as_far_behind_as_there(broker, reader, clock):
    publish(broker, 15)
    reader.poll(0)
    reader.open(dict.fromkeys(broker.shards(SOURCE), 0))
    clock.pass_by(1)
    assert behind(reader) == Behind(15, None)
