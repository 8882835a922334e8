"""Publishing to Apache Kafka: it returns when the record is stored, or says that it isn't."""

import os
import threading
import time

import pytest

from streamapp.brokers.kafka import KafkaBroker, KafkaTopic
from streamapp.exceptions import PublishFailed
from tests.live.kafka_cluster import Cluster

pytestmark = pytest.mark.live("kafka")


def test_a_published_record_stands_where_publish_says(cluster: Cluster) -> None:
    topic = cluster.topic(partitions=4)
    published = cluster.broker.publish(topic, b"v", key=b"k", headers={"a": b"1"})
    tombstone = cluster.broker.publish(topic, None, key=b"k")
    watched = cluster.watch(KafkaTopic(topic))
    watched.reader.open(dict.fromkeys(watched.assigned(), 0))
    watched.until(lambda: len(watched.records) == 2)
    first, second = watched.records
    assert (first.shard, first.position) == (published.shard, published.position)
    assert (first.value, first.key, first.headers) == (b"v", b"k", {"a": b"1"})
    assert (second.shard, second.position) == (tombstone.shard, tombstone.position)
    assert (second.value, second.key, second.headers) == (None, b"k", {})


def test_publishing_from_several_threads_confirms_each_record(cluster: Cluster) -> None:
    topic = cluster.topic()
    positions: list[int] = []

    def publish() -> None:
        for _ in range(50):
            positions.append(cluster.broker.publish(topic, b"x").position)

    threads = [threading.Thread(target=publish) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(positions) == list(range(200))


def test_a_record_that_is_too_large_is_refused(cluster: Cluster) -> None:
    topic = cluster.topic(max_message_bytes="2000")
    with pytest.raises(PublishFailed, match=topic):
        cluster.broker.publish(topic, os.urandom(10_000))
    with pytest.raises(PublishFailed, match=topic):
        cluster.broker.publish(topic, bytes(5_000_000))
    assert cluster.broker.publish(topic, b"small").position == 0


def test_an_unreachable_cluster_fails_within_the_message_timeout() -> None:
    broker = KafkaBroker("kafka", {"bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 1000})
    started = time.monotonic()
    with pytest.raises(PublishFailed, match="orders"):
        broker.publish("orders", b"x")
    assert time.monotonic() - started < 6
    broker.close()


def test_a_closed_broker_can_be_closed_again(cluster: Cluster) -> None:
    cluster.broker.publish(cluster.topic(), b"x")
    cluster.broker.close()
    cluster.broker.close()


def test_a_forked_process_publishes_with_a_client_of_its_own(cluster: Cluster) -> None:
    topic = cluster.topic()
    cluster.broker.publish(topic, b"parent")
    child = os.fork()
    if child == 0:
        try:
            os._exit(cluster.broker.publish(topic, b"child").position)
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
