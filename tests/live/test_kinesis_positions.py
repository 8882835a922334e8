"""Positions and streams on kinesis-local, whose sequence numbers and errors look like Amazon's."""

import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from streamapp import KinesisPosition, KinesisStream
from streamapp.brokers.base import Subscribing
from streamapp.brokers.kinesis import KinesisBroker
from streamapp.brokers.reading import Missing
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.positions import Ago, At
from streamapp.records import Shard
from tests.contract.broker.benches import kinesis_options, wait_for
from tests.live.kinesis_service import Service

pytestmark = pytest.mark.live("kinesis")


@pytest.fixture(scope="module")
def service():
    service = Service("KINESIS_ENDPOINT_URL")
    yield service
    service.close()


@pytest.fixture
def source(service):
    return service.stream()


@pytest.fixture
def shard(service, source):
    return service.broker.shards(source)[0]


def publish_apart(service, stream: str, *values: bytes):
    """Publish so that no two records arrive in the same millisecond."""
    places = []
    for value in values:
        time.sleep(0.005)
        places.append(service.broker.publish(stream, value))
    return places


def values_from(service, source, position, count: int):
    reading = service.reading(source)
    reading.reader.open(service.broker.resolve(position, service.broker.shards(source)))
    return reading.values(count)


def test_the_horizon_is_the_oldest_record(service, source):
    publish_apart(service, source.stream, b"0", b"1")

    assert values_from(service, source, KinesisPosition.horizon(), 2) == [b"0", b"1"]


def test_what_arrives_between_taking_the_tip_and_opening_is_read(service, source, shard):
    publish_apart(service, source.stream, b"before")
    time.sleep(0.005)
    tip = service.broker.resolve(KinesisPosition.latest(), [shard])
    publish_apart(service, source.stream, b"between")

    reading = service.reading(source)
    reading.reader.open(tip)
    assert reading.values(1) == [b"between"]


def test_a_tip_is_no_moment_of_the_services_future_though_the_clock_is_ahead(service, source, shard):
    ahead = KinesisBroker(
        "ahead",
        kinesis_options("KINESIS_ENDPOINT_URL"),
        clock=lambda: datetime.now(UTC) + timedelta(minutes=5),
    )
    tip = ahead.resolve(KinesisPosition.latest(), [shard])[shard]
    ahead.close()

    assert tip <= time.time() * 1000


def test_a_moment_is_the_first_record_that_arrived_then_or_later(service, source, shard):
    publish_apart(service, source.stream, b"0", b"1", b"2")
    reading = service.reading(source)
    reading.reader.open({shard: 0})
    reading.until(lambda: len(reading.records) == 3, "all records")
    second = reading.records[1].timestamp

    assert values_from(service, source, KinesisPosition.timestamp(second), 2) == [b"1", b"2"]
    assert values_from(service, source, Ago(3600), 3) == [b"0", b"1", b"2"]


def test_a_sequence_number_is_exactly_that_record_and_so_is_the_position_of_a_record(service, source, shard):
    places = publish_apart(service, source.stream, b"0", b"1")
    number = int(service.broker.describe(places[1].position))

    assert values_from(service, source, KinesisPosition.sequence(shard.id, number), 1) == [b"1"]
    assert values_from(service, source, At(shard.id, places[1].position, source.stream), 1) == [b"1"]


def test_a_sequence_number_names_one_shard_and_leaves_the_others(service):
    source = service.stream(shards=3)
    shards = service.broker.shards(source)

    assert list(service.broker.resolve(KinesisPosition.sequence(shards[1].id, 1), shards)) == [shards[1]]
    with pytest.raises(InvalidPosition, match="shardId-000000000009@1"):
        service.broker.resolve(KinesisPosition.sequence("shardId-000000000009", 1), shards)


def test_bounds_leave_out_what_is_not_there(service, shard):
    gone = Shard(shard.stream, shard.id, "another incarnation")

    assert list(service.broker.bounds([shard, gone, Shard("nowhere", shard.id)])) == [shard]
    assert service.broker.bounds([shard])[shard].first == 0


def test_more_shards_than_one_answer_holds_are_listed_in_order(service):
    source = service.stream(shards=1)
    pages = []
    list_shards = service.client.list_shards

    def two_a_page(**parameters):
        pages.append(parameters)
        return list_shards(**parameters, MaxResults=2)

    for _ in range(2):
        service.split(service.broker.shards(source)[-1])
    service.client.list_shards = two_a_page
    try:
        shards = service.broker.shards(source)
    finally:
        del service.client.list_shards

    assert [shard.id for shard in shards] == [f"shardId-{number:012}" for number in range(5)]
    assert len(pages) == 3


def test_a_missing_stream_has_no_shards_and_is_made_if_the_source_says_so(service):
    name = f"made-{time.time_ns()}"
    waiting = service.reading(KinesisStream(name))
    waiting.poll()
    assert service.broker.shards(KinesisStream(name)) == []
    assert waiting.events == [Missing(name)]

    source = KinesisStream(name, create_if_missing=2)
    for _ in range(2):
        service.broker.reader(Subscribing("makes", source, "makes")).close()
        wait_for(lambda: len(service.broker.shards(source)) == 2, f"{name} has two shards")
    service.made.append(name)


def test_a_stream_can_be_named_by_its_arn(service, source):
    arn = service.client.describe_stream_summary(StreamName=source.stream)["StreamDescriptionSummary"][
        "StreamARN"
    ]
    named = KinesisStream(arn, poll_interval=0.2)
    service.broker.publish(arn, b"by arn")

    assert list(named.problems()) == []
    assert values_from(service, named, KinesisPosition.horizon(), 1) == [b"by arn"]


def test_a_stream_that_is_made_again_is_another_incarnation(service):
    source = service.stream()
    (old,) = service.broker.shards(source)
    service.client.delete_stream(StreamName=source.stream)
    wait_for(lambda: service.broker.shards(source) == [], "it is gone")
    service.client.create_stream(StreamName=source.stream, ShardCount=1)
    service.wait_until_active(source.stream)
    (new,) = service.broker.shards(source)

    assert (new.stream, new.id) == (old.stream, old.id)
    assert new.incarnation != old.incarnation
    assert list(service.broker.bounds([old, new])) == [new]


def test_a_stream_deleted_under_a_reader_is_missing(service):
    source = service.stream()
    shards = service.broker.shards(source)
    reading = service.reading(source)
    reading.reader.open(dict.fromkeys(shards, 0))
    reading.until(lambda: bool(reading.ends), "the tip")
    service.client.delete_stream(StreamName=source.stream)
    service.made.remove(source.stream)

    reading.until(lambda: bool(reading.events), "an event")
    assert reading.events == [Missing(source.stream)]


def test_a_service_that_is_not_there_is_unavailable_in_time():
    broker = KinesisBroker(
        "none", {**kinesis_options("KINESIS_ENDPOINT_URL"), "endpoint_url": "http://127.0.0.1:9"}
    )
    with pytest.raises(BrokerUnavailable, match="which shards orders has"):
        broker.shards(KinesisStream("orders"))
    broker.close()


def test_a_closed_reader_and_broker_leave_no_thread_behind(source, shard):
    own = Service("KINESIS_ENDPOINT_URL")
    before = set(threading.enumerate())
    reading = own.reading(source)
    reading.reader.open({shard: 0})
    reading.until(lambda: shard in reading.ends, "the tip")
    started = set(threading.enumerate()) - before
    reading.reader.close()
    own.close()

    assert started
    wait_for(lambda: not any(thread.is_alive() for thread in started), "the threads have ended")
