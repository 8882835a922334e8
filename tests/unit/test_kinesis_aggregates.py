"""Records that Amazon's producer library packs into one are taken apart, and can be cut anywhere."""

from datetime import UTC, datetime

from aws_kinesis_agg.aggregator import RecordAggregator

from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.chunks import Page
from streamapp.brokers.kinesis.entries import AGGREGATE, entries_of
from streamapp.records import Shard

SHARD = Shard("orders", "shardId-000000000000")


def stored(sequence: int, data: bytes, key: str = "key"):
    arrived = datetime(2026, 1, 1, tzinfo=UTC)
    return {
        "SequenceNumber": str(sequence),
        "Data": data,
        "PartitionKey": key,
        "ApproximateArrivalTimestamp": arrived,
    }


def aggregate(*values: bytes) -> bytes:
    aggregator = RecordAggregator()
    for value in values:
        aggregator.add_user_record(f"key of {value.decode()}", value)
    return aggregator.clear_and_get().get_contents()[2]


def page():
    records = [stored(7, b"before"), stored(8, aggregate(b"0", b"1", b"2")), stored(9, b"behind")]
    return Page(SHARD, entries_of(records))


def test_every_user_record_is_one_with_a_key_and_a_place_of_its_own():
    chunk = page().take(10)

    assert chunk.values() == [b"before", b"0", b"1", b"2", b"behind"]
    assert [chunk.record(index).key for index in (0, 1, 3)] == [b"key", b"key of 0", b"key of 2"]
    assert [chunk.position(index) for index in range(5)] == [
        packing.at(7),
        packing.at(8, 0),
        packing.at(8, 1),
        packing.at(8, 2),
        packing.at(9),
    ]
    assert chunk.end == packing.after(packing.at(9))


def test_a_chunk_cut_inside_an_aggregate_ends_at_the_next_record_of_it():
    cut = page()

    assert [cut.take(2).end, cut.take(2).end, cut.take(2).end] == [
        packing.at(8, 1),
        packing.after(packing.at(8, 2)),
        packing.after(packing.at(9)),
    ]
    assert not cut


def test_what_only_looks_like_an_aggregate_is_a_record():
    broken = aggregate(b"0")[:-1] + b"\x00"
    for data in (broken, AGGREGATE, AGGREGATE + b"short"):
        assert [entry.data for entry in entries_of([stored(7, data)])] == [data]
