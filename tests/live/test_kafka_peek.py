"""A look at Apache Kafka: gaps, transactions, groups, and a cluster that doesn't answer."""

import socket
import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from streamapp.brokers.kafka import KafkaBroker
from streamapp.brokers.kafka.looking import NAME
from streamapp.brokers.looking import Limits, Stop
from streamapp.exceptions import BrokerUnavailable
from streamapp.records import Shard
from tests.live.kafka_cluster import Cluster, wait

pytestmark = pytest.mark.live("kafka")
LIMITS = Limits(records=10, size=1024 * 1024, seconds=20)


def shard_of(cluster: Cluster, topic: str) -> Shard:
    from streamapp.brokers.kafka import KafkaPartitions

    (shard,) = cluster.broker.shards(KafkaPartitions(topic))
    return shard


def ended(cluster: Cluster, topic: str, end: int) -> None:
    """Wait until the markers of transactions are in the log: their coordinator writes them when it likes."""
    shard = shard_of(cluster, topic)
    wait(lambda: cluster.broker.bounds([shard])[shard].end == end)


def positions(
    cluster: Cluster, topic: str, begin: int, limits: Limits = LIMITS
) -> tuple[list[int], int, Stop]:
    peeked = cluster.broker.peek(shard_of(cluster, topic), begin, limits)
    return [record.position for record in peeked.records], peeked.next, peeked.stop


def test_markers_are_passed_and_records_of_aborted_transactions_are_not_seen(cluster):
    topic = cluster.topic()
    cluster.transaction(topic, range(3), commit=True)
    ended(cluster, topic, 4)
    cluster.transaction(topic, range(3), commit=False)
    ended(cluster, topic, 8)
    cluster.write(topic, ["behind"])

    assert positions(cluster, topic, 0) == ([0, 1, 2, 8], 9, Stop.END)
    assert positions(cluster, topic, 3) == ([8], 9, Stop.END)
    assert positions(cluster, topic, 5) == ([8], 9, Stop.END)


def test_a_place_whose_record_was_compacted_away_shows_the_next_one(cluster):
    options = {"segment_ms": "100", "min_cleanable_dirty_ratio": "0.001", "max_compaction_lag_ms": "100"}
    topic = cluster.topic(cleanup_policy="compact", **options)
    cluster.write(topic, range(20), key=b"same")

    def compacted() -> bool:
        cluster.write(topic, ["roll"], key=b"roll")
        found, *_ = positions(cluster, topic, 5)
        return 5 not in found and 19 in found

    wait(compacted, seconds=40)
    assert positions(cluster, topic, 5, Limits(1, 1024, 20))[0] == [19]


def test_a_log_that_ends_with_aborted_records_ends_behind_them(cluster):
    topic = cluster.topic()
    cluster.write(topic, range(2))
    cluster.transaction(topic, range(5), commit=False)
    ended(cluster, topic, 8)

    assert positions(cluster, topic, 0) == ([0, 1], 8, Stop.END)
    assert positions(cluster, topic, 4) == ([], 8, Stop.END)


def test_a_look_ends_in_front_of_an_open_transaction_without_waiting_for_it(cluster):
    topic = cluster.topic()
    cluster.write(topic, range(2))
    producer = Producer({"bootstrap.servers": cluster.servers, "transactional.id": cluster.name()})
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce(topic, b"open", partition=0)
    assert producer.flush(10) == 0
    begun = time.monotonic()

    assert positions(cluster, topic, 0) == ([0, 1], 2, Stop.END)
    assert positions(cluster, topic, 2) == ([], 2, Stop.END)
    assert time.monotonic() - begun < LIMITS.seconds / 2
    producer.abort_transaction(10)


def test_a_look_joins_no_group_and_commits_nothing(cluster):
    topic = cluster.topic()
    cluster.write(topic, range(5))
    assert positions(cluster, topic, 0)[0] == [0, 1, 2, 3, 4]

    admin = AdminClient({"bootstrap.servers": cluster.servers})
    assert NAME not in {group.group_id for group in admin.list_consumer_groups().result(10).valid}
    assert cluster.broker.inherited(NAME, [shard_of(cluster, topic)]) == {}


def test_a_large_record_is_shown_alone_and_the_next_look_goes_on_behind_it(cluster):
    topic = cluster.topic()
    cluster.write(topic, ["x" * 500_000] * 4)

    assert positions(cluster, topic, 0, Limits(10, 300_000, 20)) == ([0], 1, Stop.BYTES)
    assert positions(cluster, topic, 1, Limits(10, 600_000, 20)) == ([1, 2], 3, Stop.BYTES)


def test_a_cluster_that_does_not_answer_is_given_up_in_time():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        broker = KafkaBroker("away", {"bootstrap.servers": f"127.0.0.1:{silent.getsockname()[1]}"})
        begun = time.monotonic()
        with pytest.raises(BrokerUnavailable, match="Kafka didn't tell"):
            broker.peek(Shard("orders", "0"), 0, Limits(10, 1000, 2))
        assert time.monotonic() - begun < 4
        broker.close()
