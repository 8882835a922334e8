"""Retention on kinesalite, the only emulator that trims; its iterators end one call after the last record."""

import pytest

from streamapp.brokers.base import OutOfRange
from streamapp.positions import SHARD_END
from tests.live.kinesis_service import Service

pytestmark = pytest.mark.live("kinesalite")


@pytest.fixture
def service():
    service = Service("KINESALITE_ENDPOINT_URL")
    yield service
    service.close()


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
