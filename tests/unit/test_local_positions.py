"""Positions that depend on the time, with a clock that stands where the test puts it."""

from datetime import UTC, datetime

import pytest

from streamapp.brokers.base import Subscribing
from streamapp.brokers.local import LocalBroker, LocalStream
from streamapp.positions import Ago, Latest, Moment
from streamapp.records import Shard

pytestmark = pytest.mark.django_db


class Clock:
    """Milliseconds since the epoch, set by hand."""

    milliseconds = 0

    def __call__(self) -> datetime:
        return datetime.fromtimestamp(self.milliseconds / 1000, UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def broker(clock: Clock) -> LocalBroker:
    return LocalBroker("local", {}, clock=clock)


def publish_at(broker: LocalBroker, clock: Clock, *times: int) -> Shard:
    for clock.milliseconds in times:
        shard = broker.publish("orders", b"").shard
    return shard


@pytest.mark.parametrize(("start", "position"), [(5, 0), (10, 0), (25, 2), (30, 2), (31, 3)])
def test_a_moment_is_never_mistaken_for_a_sentinel(broker, clock, start, position):
    shard = publish_at(broker, clock, 10, 20, 30)
    broker.reader(Subscribing("reads", LocalStream("empty"), "reads"))
    (empty,) = broker.shards(LocalStream("empty"))

    assert broker.resolve(Moment(start), [shard, empty]) == {shard: position, empty: 0}


def test_a_duration_is_taken_from_the_brokers_clock(broker, clock):
    shard = publish_at(broker, clock, 10_000, 20_000, 30_000)

    resolved = {ago: broker.resolve(Ago(ago), [shard])[shard] for ago in (0, 10, 11, 3600)}

    assert resolved == {0: 2, 10: 1, 11: 1, 3600: 0}


def test_milliseconds_are_kept_exactly(broker, clock):
    moment = 1_795_000_000_123
    shard = publish_at(broker, clock, moment)

    reader = broker.reader(Subscribing("reads", LocalStream("orders"), "reads"))
    reader.open({shard: 0})
    (chunk,) = reader.poll(0).chunks

    assert Moment.of(chunk.record(0).timestamp) == Moment(moment)
    assert broker.resolve(Moment(moment), [shard]) == {shard: 0}
    assert broker.resolve(Moment(moment + 1), [shard]) == {shard: 1}


def test_shards_of_a_deleted_stream_are_left_out(broker, clock):
    gone = publish_at(broker, clock, 10)
    broker.delete_stream("orders")
    kept = publish_at(broker, clock, 20)

    assert broker.resolve(Latest(), [gone, kept]) == {kept: 1}
    assert broker.resolve(Moment(15), [gone, kept]) == {kept: 0}
