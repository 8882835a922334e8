"""Gaps that no record fills, on Apache Kafka: the end of the log is reached all the same."""

import pytest

from streamapp.brokers.kafka import KafkaTopic
from streamapp.records import Bounds
from tests.live.kafka_cluster import Cluster, Watched, wait

pytestmark = pytest.mark.live("kafka")


def opened(cluster: Cluster, topic: str, start: int = 0) -> Watched:
    watched = cluster.watch(KafkaTopic(topic))
    watched.reader.open(dict.fromkeys(watched.assigned(), start))
    return watched


def test_an_empty_partition_ends_where_it_was_opened(cluster: Cluster) -> None:
    watched = opened(cluster, cluster.topic())
    watched.until(lambda: list(watched.ends.values()) == [0])
    assert watched.positions() == []


def test_a_commit_marker_is_passed(cluster: Cluster) -> None:
    topic = cluster.topic()
    cluster.transaction(topic, range(3), commit=True)
    watched = opened(cluster, topic)
    watched.until(lambda: list(watched.ends.values()) == [4])
    assert watched.positions() == [0, 1, 2]


def test_an_aborted_tail_is_passed_and_reading_goes_on_behind_it(cluster: Cluster) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(2))
    cluster.transaction(topic, range(5), commit=False)
    watched = opened(cluster, topic)
    watched.until(lambda: list(watched.ends.values()) == [8])
    assert watched.positions() == [0, 1]
    watched.reader.keep_alive()
    cluster.write(topic, ["behind"])
    watched.until(lambda: list(watched.ends.values()) == [9])
    assert watched.positions() == [0, 1, 8]


def test_an_end_does_not_pass_an_open_transaction(cluster: Cluster) -> None:
    from confluent_kafka import Producer

    topic = cluster.topic()
    cluster.write(topic, range(2))
    producer = Producer({"bootstrap.servers": cluster.servers, "transactional.id": cluster.name()})
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce(topic, b"open", partition=0)
    assert producer.flush(10) == 0
    watched = opened(cluster, topic)
    watched.until(lambda: watched.ends)
    (shard,) = watched.ends
    assert watched.ends == {shard: 2}
    assert cluster.broker.bounds([shard]) == {shard: Bounds(0, 2)}
    producer.commit_transaction(10)
    watched.until(lambda: watched.ends == {shard: 4})
    assert watched.positions() == [0, 1, 2]


def test_compacted_records_are_passed(cluster: Cluster) -> None:
    topic = cluster.topic(
        cleanup_policy="compact",
        segment_ms="100",
        min_cleanable_dirty_ratio="0.001",
        max_compaction_lag_ms="100",
    )
    cluster.write(topic, range(20), key=b"same")
    seen: list[int] = []

    def compacted() -> bool:
        cluster.write(topic, ["roll"], key=b"roll")
        watched = opened(cluster, topic)
        watched.until(lambda: watched.ends)
        seen[:] = watched.positions()
        (end,) = watched.ends.values()
        assert end == cluster.broker.bounds(list(watched.ends))[next(iter(watched.ends))].end
        watched.close()
        return 0 not in seen and 19 in seen

    wait(compacted, seconds=40)
    assert seen == sorted(seen)
