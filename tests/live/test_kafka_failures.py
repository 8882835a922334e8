"""Clients that break and clusters that are away, with Apache Kafka and with nobody at the address."""

import logging
import time
from collections.abc import Iterable
from contextlib import suppress

import pytest
from confluent_kafka import KafkaError

from streamapp.brokers.base import Subscribing
from streamapp.brokers.kafka import KafkaBroker, KafkaTopic
from streamapp.brokers.kafka.group import GroupReader
from streamapp.brokers.kafka.queries import Queries
from streamapp.brokers.kafka.reports import Reports
from streamapp.brokers.reading import Assigned
from streamapp.exceptions import BrokerUnavailable, ReaderFailed
from tests.live.kafka_cluster import Cluster


@pytest.mark.live("kafka")
@pytest.mark.parametrize("client", [{}, {"group.protocol": "consumer"}])
def test_a_static_member_whose_instance_is_in_use_elsewhere_fails(
    cluster: Cluster, client: dict[str, str]
) -> None:
    topic, group = cluster.topic(), cluster.name()
    source = KafkaTopic(topic, client={**client, "group.instance.id": "one"})
    first = cluster.watch(source, group)
    first.reader.open(dict.fromkeys(first.assigned(), 0))
    second = cluster.watch(source, group)
    with pytest.raises(ReaderFailed, match="Make a new reader"):
        while True:
            second.poll()
            first.poll()
    started = time.monotonic()
    first.close()
    second.close()
    assert time.monotonic() - started < 12


class Unanswered(Queries):
    """A cluster whose metadata can't be had for the first few times."""

    failures = 2

    def incarnations(self, topics: Iterable[str]) -> dict[str, str]:
        if self.failures:
            self.failures -= 1
            raise BrokerUnavailable("no metadata")
        return super().incarnations(topics)


@pytest.mark.live("kafka")
def test_an_assignment_that_cannot_be_told_yet_is_kept_for_the_next_poll(cluster: Cluster) -> None:
    topic, options = cluster.topic(), {"bootstrap.servers": cluster.servers}
    cluster.write(topic, range(5))
    reports = Reports("kafka")
    subscribing = Subscribing("test", KafkaTopic(topic), cluster.name())
    watched = cluster.watching(GroupReader(options, subscribing, reports, Unanswered(options, reports)))
    for _ in range(2):
        with pytest.raises(BrokerUnavailable, match="no metadata"):
            watched.until(lambda: watched.events)
    (shard,) = watched.assigned()
    watched.reader.open({shard: 0})
    watched.until(lambda: watched.positions() == list(range(5)))


@pytest.mark.live("kafka")
def test_records_fetched_by_a_poll_that_failed_come_again(cluster: Cluster) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(20_000))
    options = {"bootstrap.servers": cluster.servers, "topic.metadata.refresh.interval.ms": 200}
    reports, group = Reports("kafka"), cluster.name()
    queries = Unanswered(options, reports)
    queries.failures = 0
    watched = cluster.watching(
        GroupReader(options, Subscribing("test", KafkaTopic(topic), group, 5), reports, queries)
    )
    (shard,) = watched.assigned()
    watched.reader.open({shard: 0})
    watched.until(lambda: watched.records)

    cluster.grow(topic, 2)
    queries.failures = 3
    while queries.failures:
        with suppress(BrokerUnavailable):
            watched.poll()
            time.sleep(0.01)  # so that records are left when the client has learnt of the new partition
            continue
        time.sleep(0.3)  # so that the next poll finds records, and fails with them in hand
    assert len(watched.records) < 20_000
    watched.until(lambda: len(watched.told(Assigned)) == 2)
    so_far = len(watched.records)
    watched.until(lambda: len(watched.records) > so_far + 100)
    assert watched.positions() == list(range(len(watched.records)))


def test_a_reader_of_a_cluster_that_is_away_waits_and_closes_in_time() -> None:
    broker = KafkaBroker("kafka", {"bootstrap.servers": "127.0.0.1:1"})
    reader = broker.reader(Subscribing("orders", KafkaTopic("orders"), "orders"))
    started = time.monotonic()
    for _ in range(5):
        assert not reader.poll(0.2).chunks
    reader.keep_alive()
    assert 1 <= time.monotonic() - started < 2
    reader.close()
    assert time.monotonic() - started < 9
    broker.close()


def test_the_same_error_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    reports = Reports("kafka", clock=lambda: now[0])
    down, denied = KafkaError(KafkaError._ALL_BROKERS_DOWN), KafkaError(KafkaError._AUTHENTICATION)
    with caplog.at_level(logging.WARNING):
        for now[0] in (0.0, 1.0, 59.0, 60.0):
            reports.error(down)
            reports.error(denied)
    codes = [record.args["code"] for record in caplog.records]
    assert codes == ["_ALL_BROKERS_DOWN", "_AUTHENTICATION"] * 2
