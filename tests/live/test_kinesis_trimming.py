"""Retention and expiring iterators on kinesalite, whose clock can be moved.

It is the only emulator that trims. Its iterators of closed shards end one call after the last record.
"""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from streamapp.brokers.looking import Limits
from streamapp.brokers.reading import OutOfRange
from streamapp.exceptions import InvalidPosition
from streamapp.positions import SHARD_END
from streamapp.services.flags import Flag
from streamapp.services.targets import Exact, Place
from tests.live.kinesis_reviews import mounted, reading, reviewed
from tests.live.kinesis_service import Service

pytestmark = pytest.mark.live("kinesalite")


@pytest.fixture
def service():
    service = Service("KINESALITE_ENDPOINT_URL")
    yield service
    move_clock(timedelta())
    service.close()


def move_clock(difference: timedelta) -> None:
    """Let the service live earlier or later than this machine, from now on."""
    Path(os.environ["KINESALITE_CLOCK"]).write_text(str(difference // timedelta(milliseconds=1)))


def trimmed(service):
    """A stream with a record past its retention and one that is kept, and the place of the first."""
    move_clock(-timedelta(hours=30))
    source = service.stream()
    old = service.broker.publish(source.stream, b"old")
    move_clock(timedelta())
    service.broker.publish(source.stream, b"kept")
    return source, old


def test_the_oldest_record_kept_is_the_first_that_retention_has_left(service):
    source, old = trimmed(service)
    reading = service.reading(source)
    reading.reader.open({old.shard: 0})

    assert reading.values(1) == [b"kept"]


def test_a_record_past_its_retention_is_out_of_range_until_it_is_opened_elsewhere(service):
    source, old = trimmed(service)
    reading = service.reading(source)
    reading.reader.open({old.shard: old.position})
    reading.until(lambda: bool(reading.events), "an event")

    assert reading.events == [OutOfRange(old.shard, old.position)]
    assert reading.records == []
    reading.reader.open({old.shard: 0})
    assert reading.values(1) == [b"kept"]


def test_a_checkpoint_behind_a_record_past_its_retention_goes_on(service):
    source, old = trimmed(service)
    reading = service.reading(source)
    reading.reader.open({old.shard: old.position + 1})

    assert reading.values(1) == [b"kept"]
    assert reading.events == []


def test_a_closed_shard_ends_though_the_service_says_so_one_read_later(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    service.broker.publish(source.stream, b"last")
    service.split(shard)
    reading = service.reading(source)
    reading.reader.open({shard: 0})

    reading.until(lambda: reading.ends.get(shard) == SHARD_END, "the end")
    assert [record.value for record in reading.records] == [b"last"]


def test_a_place_that_never_was_is_out_of_range(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    beyond = service.broker.publish(source.stream, b"0").position + 10**30
    reading = service.reading(source)
    reading.reader.open({shard: beyond})

    reading.until(lambda: bool(reading.events), "an event")
    assert reading.events == [OutOfRange(shard, beyond)]


def test_iterators_that_expire_before_the_first_record_lose_none(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    reading = service.reading(source)
    reading.reader.open({shard: 0})
    reading.until(lambda: shard in reading.ends, "the tip")
    move_clock(timedelta(minutes=10))
    service.broker.publish(source.stream, b"first")

    assert reading.values(1) == [b"first"]


def test_iterators_that_expire_later_bring_no_record_twice(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    service.broker.publish(source.stream, b"0")
    reading = service.reading(source)
    reading.reader.open({shard: 0})
    assert reading.values(1) == [b"0"]
    move_clock(timedelta(minutes=10))
    service.broker.publish(source.stream, b"1")
    service.broker.publish(source.stream, b"2")

    assert reading.values(2) == [b"1", b"2"]


def test_a_look_at_a_record_past_its_retention_begins_at_the_oldest_one_kept_or_is_refused(service):
    _, old = trimmed(service)
    try:
        peeked = service.broker.peek(old.shard, old.position, Limits(10, 1024, 20))
    except InvalidPosition as error:
        assert "it was trimmed" in str(error)
        peeked = service.broker.peek(old.shard, 0, Limits(10, 1024, 20))
    assert [record.value for record in peeked.records] == [b"kept"]
    assert peeked.begin in (0, peeked.records[0].position)


@pytest.mark.django_db
def test_the_review_of_a_rewind_to_a_record_past_its_retention_says_that_it_is_gone(service, settings):
    source, old = trimmed(service)
    settings.STREAMAPP = mounted("KINESALITE_ENDPOINT_URL", source.stream)
    reading({old.shard: old.position + 1})
    [remarks] = reviewed(Exact((Place(str(old.shard), service.broker.describe(old.position)),)))
    assert Flag.LOST in remarks
