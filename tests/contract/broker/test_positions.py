"""Every kind of position becomes exactly the offset it names, and the log's bounds are right.

Positions of Kinesis are no offsets: tests/live/test_kinesis_positions.py.
"""

import time

import pytest

from streamapp.brokers.kafka.sources import KafkaPartitions
from streamapp.exceptions import InvalidPosition
from streamapp.positions import Ago, At, Earliest, Latest, Moment, parse
from streamapp.records import Bounds, Shard

pytestmark = pytest.mark.parametrize(
    "bench", ["local", pytest.param("kafka", marks=pytest.mark.live("kafka"))], indirect=True
)


def publish_at_different_times(bench, readings, shard: Shard, count: int) -> list[int]:
    """Publish records no two of which have the same time, and return their times in milliseconds."""
    for _ in range(count):
        bench.publish(shard, b"")
        published = time.time_ns() // 1_000_000
        while time.time_ns() // 1_000_000 < published + 3:
            time.sleep(0.001)
    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})
    return [round(record.timestamp.timestamp() * 1000) for record in reading.take(count)]


def test_earliest_is_the_oldest_record_kept_and_latest_the_end(bench):
    shard, empty = bench.shard(), bench.shard()
    bench.publish(shard, b"0", b"1", b"2")
    bench.trim(shard, 1)

    assert bench.broker.resolve(Earliest(), [shard, empty]) == {shard: 1, empty: 0}
    assert bench.broker.resolve(Latest(), [shard, empty]) == {shard: 3, empty: 0}


def test_latest_is_a_number_that_later_records_do_not_move(bench, readings):
    shard = bench.shard()
    bench.publish(shard, b"before")
    positions = bench.broker.resolve(Latest(), [shard])
    bench.publish(shard, b"after")

    reading = readings.of(shard.stream)
    reading.reader.open(positions)

    assert reading.values(1) == [b"after"]


def test_an_offset_names_one_partition_and_leaves_the_others(bench):
    stream = bench.stream(partitions=3)
    shards = bench.shards(stream)

    assert bench.broker.resolve(At("1", 42), shards) == {shards[1]: 42}
    assert bench.broker.resolve(At("2", 7, stream), shards) == {shards[2]: 7}


def test_of_two_streams_an_offset_must_name_one(bench):
    one, other = bench.shard(), bench.shard()

    assert bench.broker.resolve(At("0", 5, other.stream), [one, other]) == {other: 5}
    with pytest.raises(InvalidPosition, match=r"Write contract-.*/0@5"):
        bench.broker.resolve(At("0", 5), [one, other])


@pytest.mark.parametrize("text", ["9@1200", "elsewhere/0@1200"])
def test_a_position_that_names_nothing_is_refused_by_its_name(bench, text):
    shard = bench.shard()

    with pytest.raises(InvalidPosition, match=text):
        bench.broker.resolve(parse(text), [shard])


def test_a_moment_is_the_first_record_not_before_it_else_the_end(bench, readings):
    shard, empty = bench.shard(), bench.shard()
    first, second, third = publish_at_different_times(bench, readings, shard, 3)

    def resolved(milliseconds: int) -> int:
        return bench.broker.resolve(Moment(milliseconds), [shard, empty])[shard]

    assert resolved(first - 1) == resolved(first) == 0
    assert resolved(first + 1) == resolved(second) == 1
    assert resolved(second + 1) == resolved(third) == 2
    assert resolved(third + 1) == 3
    assert bench.broker.resolve(Moment(first), [empty]) == {empty: 0}


def test_a_moment_behind_the_last_record_is_a_number_fixed_at_that_moment(bench, readings):
    shard = bench.shard()
    (moment,) = publish_at_different_times(bench, readings, shard, 1)
    positions = bench.broker.resolve(Moment(moment + 1), [shard])
    bench.publish(shard, b"after")

    reading = readings.of(shard.stream)
    reading.reader.open(positions)

    assert positions == {shard: 1}
    assert reading.values(1) == [b"after"]


def test_a_duration_counts_back_from_now(bench):
    shard = bench.shard()
    bench.publish(shard, b"0")

    assert bench.broker.resolve(Ago(3600), [shard]) == {shard: 0}


def test_bounds_follow_publishing_and_retention(bench):
    shard = bench.shard()
    assert bench.broker.bounds([shard]) == {shard: Bounds(0, 0)}

    bench.publish(shard, b"0", b"1", b"2")
    assert bench.broker.bounds([shard]) == {shard: Bounds(0, 3)}

    bench.trim(shard, 2)
    assert bench.broker.bounds([shard]) == {shard: Bounds(2, 3)}


def test_a_source_lists_its_shards_in_order_and_a_missing_stream_has_none(bench):
    stream = bench.stream(partitions=12)

    assert [shard.id for shard in bench.shards(stream)] == [str(number) for number in range(12)]
    chosen = bench.broker.shards(KafkaPartitions(stream, partitions=(10, 2)))
    assert [shard.id for shard in chosen] == ["2", "10"]
    assert bench.shards(f"{stream}-missing") == []


def test_a_stream_that_is_made_again_is_another_incarnation(bench):
    old = bench.shard()
    bench.publish(old, b"of the old one")
    bench.delete(old.stream)
    bench.remake(old.stream)
    (new,) = bench.shards(old.stream)

    assert (new.stream, new.id) == (old.stream, old.id)
    assert new.incarnation != old.incarnation
    assert bench.broker.bounds([old, new]) == {new: Bounds(0, 0)}


def test_every_kind_of_position_is_one_of_the_broker(bench):
    for text in ("earliest", "latest", "0@1", "orders/0@1", "2026-11-01T00:00:00Z", "-7d"):
        assert bench.broker.position_problem(parse(text)) is None


def test_a_partition_is_a_number(bench):
    assert "shardId-0" in bench.broker.position_problem(At("shardId-0", 1))
