"""What a reader of Kafka knows of its lag without asking the cluster."""

import time

import pytest

from streamapp.brokers.kafka import KafkaTopic
from streamapp.brokers.reading import Behind
from tests.live.kafka_cluster import Cluster, Watched, wait

pytestmark = pytest.mark.live("kafka")


def opened(cluster: Cluster, topic: str, limit: int) -> Watched:
    watched = cluster.watch(KafkaTopic(topic), limit=limit)
    watched.reader.open(dict.fromkeys(watched.assigned(), 0))
    return watched


def behind(watched: Watched) -> Behind | None:
    return next(iter(watched.reader.lags().values()), None)


def test_it_counts_what_was_not_delivered_and_tells_the_age_of_the_last_record(cluster: Cluster) -> None:
    topic = cluster.topic()
    written = time.time_ns() // 1_000_000 - 60_000
    cluster.write(topic, range(10), timestamp=written)
    cluster.write(topic, range(20))
    watched = opened(cluster, topic, limit=10)
    watched.until(lambda: watched.records)
    lag = behind(watched)
    assert lag and lag.records == 30 - len(watched.records)
    assert lag.milliseconds and 60_000 <= lag.milliseconds < 120_000


def test_at_the_end_it_is_nothing_also_behind_a_transaction_marker(cluster: Cluster) -> None:
    topic = cluster.topic()
    cluster.transaction(topic, range(3), commit=True)
    watched = opened(cluster, topic, limit=500)
    watched.until(lambda: watched.ends)
    assert behind(watched) == Behind(0, 0)


def test_records_that_arrive_are_seen_without_a_poll(cluster: Cluster) -> None:
    topic = cluster.topic()
    watched = opened(cluster, topic, limit=500)
    watched.until(lambda: watched.ends)
    cluster.write(topic, range(7))
    wait(lambda: (lag := behind(watched)) and lag.records == 7)


def test_a_partition_that_rests_is_left_out(cluster: Cluster) -> None:
    watched = opened(cluster, cluster.topic(), limit=500)
    watched.until(lambda: watched.ends)
    watched.reader.keep_alive()
    assert watched.reader.lags() == {}
    watched.poll()
    watched.reader.pause(watched.assigned())
    assert watched.reader.lags() == {}
