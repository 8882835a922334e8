"""Splits and merges on kinesis-local: closed shards end for good, and no record is lost across them."""

from collections import defaultdict

import pytest

from streamapp.positions import SHARD_END
from streamapp.records import Shard
from tests.live.kinesis_service import Service

pytestmark = pytest.mark.live("kinesis")


@pytest.fixture
def service():
    service = Service("KINESIS_ENDPOINT_URL")
    yield service
    service.close()


def publish(service, stream: str, first: int, count: int) -> None:
    numbers = range(first, first + count)
    service.broker.publish_many(stream, [(f"key {n % 7}".encode(), str(n).encode()) for n in numbers])


def read_in_lineage(service, source, opened: dict[Shard, int], reading, count: int) -> None:
    """Read as the engine does: a child is opened at its first record once its parents are finished."""

    def step() -> bool:
        for shard, parents in service.broker.lineage(source).items():
            waits = any(reading.ends.get(parent) != SHARD_END for parent in parents)
            if shard not in opened and not waits:
                opened[shard] = len(reading.records)
                reading.reader.open({shard: 0})
        return len(reading.records) >= count

    reading.until(step, f"{count} records; so far {len(reading.records)}")


def test_a_split_shard_ends_for_good_and_its_children_name_it(service):
    source = service.stream()
    (parent,) = service.broker.shards(source)
    publish(service, source.stream, 0, 10)
    service.split(parent)

    listed, one, other = service.broker.shards(source)
    assert listed == parent
    assert service.broker.lineage(source) == {parent: (), one: (parent,), other: (parent,)}

    reading = service.reading(source)
    reading.reader.open({parent: 0})
    reading.until(lambda: reading.ends.get(parent) == SHARD_END, "the parent ends")
    assert len(reading.records) == 10


def test_the_child_of_a_merge_waits_for_both_parents(service):
    source = service.stream(shards=2)
    one, other = service.broker.shards(source)
    service.merge(one, other)

    child = service.broker.shards(source)[-1]
    assert set(service.broker.lineage(source)[child]) == {one, other}


def test_a_closed_shard_ends_for_good_wherever_it_is_opened(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    last = service.broker.publish(source.stream, b"last")
    tip = service.broker.bounds([shard])[shard].end
    service.split(shard)
    reading = service.reading(source)

    for position, count in ((last.position, 1), (last.position + 1, 0), (tip, 0), (SHARD_END, 0)):
        reading.ends.clear()
        reading.records.clear()
        reading.reader.open({shard: position})
        reading.until(lambda: bool(reading.ends), f"it ends when opened at {position}")
        assert reading.ends == {shard: SHARD_END}
        assert len(reading.records) <= max(count, 1)


def test_an_open_shard_that_is_closed_while_it_is_read_ends_without_another_record(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    reading = service.reading(source)
    reading.reader.open({shard: 0})
    reading.until(lambda: shard in reading.ends, "the tip")
    service.split(shard)

    reading.until(lambda: reading.ends[shard] == SHARD_END, "the end")
    assert reading.records == []


def test_no_record_is_lost_or_out_of_order_across_a_split_and_a_merge(service):
    source = service.stream()
    (parent,) = service.broker.shards(source)
    opened: dict[Shard, int] = {}
    reading = service.reading(source)
    read_in_lineage(service, source, opened, reading, 0)

    publish(service, source.stream, 0, 300)
    service.split(parent)
    publish(service, source.stream, 300, 300)
    service.merge(*service.broker.shards(source)[1:3])
    publish(service, source.stream, 600, 300)
    read_in_lineage(service, source, opened, reading, 900)

    numbers = [int(record.value) for record in reading.records]
    assert sorted(numbers) == list(range(900))
    by_key = defaultdict(list)
    for number in numbers:
        by_key[number % 7].append(number)
    assert all(numbers == sorted(numbers) for numbers in by_key.values())
    assert len(opened) == 4
