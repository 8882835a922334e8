"""Reading opened partitions, on Apache Kafka: with a group, and without one."""

from datetime import UTC, datetime

import pytest

from streamapp.brokers.base import Source
from streamapp.brokers.kafka import KafkaPartitions, KafkaTopic
from streamapp.brokers.reading import OutOfRange
from streamapp.records import Shard
from tests.live.kafka_cluster import PROTOCOLS, Cluster, Watched

pytestmark = pytest.mark.live("kafka")
KINDS = [*PROTOCOLS, "no group"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(
    cluster: Cluster, kind: str, topic: str, start: int = 0, limit: int = 500
) -> tuple[Watched, list[Shard]]:
    grouped = kind in PROTOCOLS
    source: Source = KafkaTopic(topic, client=PROTOCOLS[kind]) if grouped else KafkaPartitions(topic)
    watched = cluster.watch(source, limit=limit)
    shards = watched.assigned() if grouped else cluster.broker.shards(source)
    watched.reader.open(dict.fromkeys(shards, start))
    return watched, shards


def test_a_record_arrives_whole(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic()
    cluster.write(topic, ["v"], key=b"k", headers=[("a", b"1"), ("a", b"2"), ("b", None)], timestamp=1_500)
    watched, (shard,) = opened(cluster, kind, topic)
    watched.until(lambda: watched.records)
    (record,) = watched.records
    assert (record.shard, record.position) == (shard, 0)
    assert (record.value, record.key, record.headers) == (b"v", b"k", {"a": b"2", "b": b""})
    assert record.timestamp == datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC)


@pytest.mark.parametrize("written", [-5, 1_700_000_000_000_000, 2**62])
def test_a_time_that_is_none_is_left_out(cluster: Cluster, written: int) -> None:
    """Producers write what they like: microseconds make a year that Python doesn't have."""
    topic = cluster.topic(message_timestamp_after_max_ms=str(2**63 - 1))
    cluster.write(topic, ["v"], timestamp=written)
    watched, _ = opened(cluster, "no group", topic)
    watched.until(lambda: watched.records)
    assert watched.records[0].timestamp is None


def test_a_poll_brings_no_more_than_the_limit(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic(partitions=2)
    for partition in (0, 1):
        cluster.write(topic, range(30), partition)
    watched, shards = opened(cluster, kind, topic, limit=7)
    sizes = []
    while len(watched.records) < 60:
        sizes.append(sum(map(len, watched.poll().chunks)))
    assert max(sizes) == 7
    assert all(watched.positions(shard) == list(range(30)) for shard in shards)


def test_chunks_say_where_they_end_and_hold_one_shard_each(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic(partitions=3)
    for partition in range(3):
        cluster.write(topic, range(20), partition)
    watched, _ = opened(cluster, kind, topic, start=5)
    seen = 0
    while seen < 45:
        for chunk in watched.poll().chunks:
            seen += len(chunk)
            assert chunk.end == chunk.position(len(chunk) - 1) + 1
            assert chunk.values() == [b"%d" % chunk.position(index) for index in range(len(chunk))]
            assert {chunk.record(index).shard for index in range(len(chunk))} == {chunk.shard}


def test_a_paused_shard_is_silent_and_goes_on_without_loss(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic(partitions=2)
    for partition in (0, 1):
        cluster.write(topic, range(400), partition)
    watched, (paused, other) = opened(cluster, kind, topic, limit=10)
    watched.until(lambda: len(watched.positions(paused)) >= 20)
    so_far = watched.positions(paused)
    watched.reader.pause([paused])
    watched.until(lambda: other in watched.ends)
    assert watched.positions(paused) == so_far
    watched.reader.resume([paused])
    watched.until(lambda: paused in watched.ends)
    assert watched.positions(paused) == watched.positions(other) == list(range(400))


def test_a_pause_outlasts_a_slow_handler(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic(partitions=2)
    for partition in (0, 1):
        cluster.write(topic, range(50), partition)
    watched, (paused, other) = opened(cluster, kind, topic)
    watched.reader.pause([paused])
    watched.reader.keep_alive()
    watched.until(lambda: other in watched.ends)
    watched.settle()
    assert watched.positions(paused) == []


def test_a_shard_can_be_opened_elsewhere_while_it_is_read(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic(partitions=2)
    for partition in (0, 1):
        cluster.write(topic, range(3000), partition)
    watched, (moved, other) = opened(cluster, kind, topic, limit=50)
    for start in (2900, 17, 1500, 0):
        watched.until(lambda: moved in watched.ends or len(watched.positions(moved)) > 60)
        rest = watched.positions(other)
        watched.forget()
        watched.reader.open({moved: start})
        watched.until(lambda: watched.positions(moved))
        count = len(watched.positions(moved))
        assert watched.positions(moved) == list(range(start, start + count))
        assert rest == list(range(rest[0], rest[0] + len(rest))) if rest else True


def test_a_closed_shard_is_silent(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic(partitions=2)
    watched, (closed, other) = opened(cluster, kind, topic)
    watched.reader.close_shards([closed, Shard("unknown", "7")])
    for partition in (0, 1):
        cluster.write(topic, range(5), partition)
    watched.until(lambda: len(watched.positions(other)) == 5)
    watched.settle(0.5)
    assert watched.positions(closed) == []


def test_a_trimmed_log_stops_the_shard_until_it_is_opened_again(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic(partitions=2)
    for partition in (0, 1):
        cluster.write(topic, range(20), partition)
    cluster.trim(topic, 0, first=8)
    watched, (trimmed, other) = opened(cluster, kind, topic, start=3)
    watched.until(lambda: watched.events and [e for e in watched.events if isinstance(e, OutOfRange)])
    watched.until(lambda: other in watched.ends)
    assert OutOfRange(trimmed, 3) in watched.events
    assert watched.positions(trimmed) == []
    assert watched.positions(other) == list(range(3, 20))
    watched.reader.open({trimmed: 8})
    watched.until(lambda: trimmed in watched.ends)
    assert watched.positions(trimmed) == list(range(8, 20))


def test_a_position_behind_the_end_is_out_of_range(cluster: Cluster, kind: str) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(3))
    watched, (shard,) = opened(cluster, kind, topic, start=50)
    watched.until(lambda: OutOfRange(shard, 50) in watched.events)
    assert watched.positions() == []


def test_a_mirrored_checkpoint_is_the_groups_committed_offset(cluster: Cluster, kind: str) -> None:
    topic, group = cluster.topic(partitions=2), cluster.name()
    grouped = kind in PROTOCOLS
    source: Source = KafkaTopic(topic, client=PROTOCOLS[kind]) if grouped else KafkaPartitions(topic)
    watched = cluster.watch(source, group)
    first, second = watched.assigned() if grouped else cluster.broker.shards(source)
    watched.reader.mirror({second: 42})
    watched.until(lambda: cluster.broker.inherited(group, [first, second]) == {second: 42})


def test_the_narrowed_partitions_of_a_topic_are_its_shards(cluster: Cluster) -> None:
    topic = cluster.topic(partitions=4)
    shards = cluster.broker.shards(KafkaPartitions(topic, partitions=(3, 1)))
    assert [shard.id for shard in shards] == ["1", "3"]
