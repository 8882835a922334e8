"""Records come as they were published, in order."""

import time
from collections import defaultdict

import pytest

from streamapp.exceptions import PublishFailed
from streamapp.records import Record


def test_records_come_in_the_order_in_which_they_were_published(bench, readings):
    shard = bench.shard()
    values = [f"value {number}".encode() for number in range(50)]
    places = bench.publish(shard, *values)

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})
    records = reading.take(50)

    assert [record.value for record in records] == values
    assert [(record.shard, record.position) for record in records] == [
        (place.shard, place.position) for place in places
    ]


def test_a_record_comes_with_key_headers_and_time(bench, readings):
    shard = bench.shard()
    before = time.time()
    key = b"\xfe" if bench.stores_nulls else "schlüssel".encode()
    headers = {"trace": b"\x01", "empty": b""}
    place = bench.broker.publish(shard.stream, b"\x00\xff", key=key, headers=headers)
    after = time.time()

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})
    (record,) = reading.take(1)

    assert record == Record(shard, place.position, b"\x00\xff", key, headers, record.timestamp)
    assert record.timestamp.tzinfo is not None
    assert int(before * 1000) <= round(record.timestamp.timestamp() * 1000) <= after * 1000


def test_a_null_value_is_not_an_empty_one(bench, readings):
    shard = bench.shard()
    if not bench.stores_nulls:
        with pytest.raises(PublishFailed, match="null"):
            bench.publish(shard, None)
        return
    bench.publish(shard, None, b"")

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})
    tombstone, empty = reading.take(2)

    assert tombstone.value is None
    assert empty.value == b""
    assert (tombstone.key, tombstone.headers) == (None, {})


def test_a_chunk_says_the_same_of_its_records_in_every_way(bench, readings):
    shard = bench.shard()
    bench.publish(shard, b"one", None if bench.stores_nulls else b"", b"three")

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})
    chunk = None
    while chunk is None:
        chunk = next(iter(reading.reader.poll(1.0).chunks), None)

    records = [chunk.record(index) for index in range(len(chunk))]
    assert chunk.shard == shard
    assert chunk.values() == [record.value for record in records]
    assert [chunk.position(index) for index in range(len(chunk))] == [record.position for record in records]
    assert chunk.end == records[-1].position + 1
    assert all(type(value) is bytes for value in chunk.values() if value is not None)


def test_a_key_always_leads_to_the_same_shard_and_keys_are_spread(bench):
    stream = bench.stream(partitions=4)
    homes = defaultdict(set)
    for key in [f"key {number}".encode() for number in range(20)] * 2:
        homes[key].add(bench.broker.publish(stream, b"", key=key).shard)

    assert all(len(shards) == 1 for shards in homes.values())
    assert set.union(*homes.values()) == set(bench.shards(stream))


def test_a_poll_brings_no_more_than_its_limit_and_the_next_one_the_rest(bench, readings):
    stream = bench.stream(partitions=2)
    places = [bench.broker.publish(stream, b"", key=str(number).encode()) for number in range(30)]

    reading = readings.of(stream, limit=7)
    reading.reader.open(dict.fromkeys(bench.shards(stream), 0))
    while len(reading.records) < 30:
        assert sum(len(chunk) for chunk in reading.poll().chunks) <= 7

    got = {(record.shard, record.position) for record in reading.records}
    assert got == {(place.shard, place.position) for place in places}
    assert len(reading.records) == 30
