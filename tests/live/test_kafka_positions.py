"""Positions as offsets, on Apache Kafka."""

from datetime import UTC, datetime

import pytest

from streamapp.brokers.kafka import KafkaBroker, KafkaTopic, KafkaTopics
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.positions import parse
from streamapp.records import Bounds
from tests.live.kafka_cluster import Cluster

pytestmark = pytest.mark.live("kafka")


def offsets(cluster: Cluster, topic: str, position: str) -> dict[str, int]:
    shards = cluster.broker.shards(KafkaTopic(topic))
    return {shard.id: number for shard, number in cluster.broker.resolve(parse(position), shards).items()}


@pytest.mark.parametrize(
    ("milliseconds", "offset"), [(0, 0), (10, 0), (11, 1), (25, 2), (30, 2), (31, 3), (9_999, 3)]
)
def test_a_moment_is_the_first_record_not_before_it(cluster: Cluster, milliseconds: int, offset: int) -> None:
    topic = cluster.topic(partitions=2)
    for timestamp in (10, 20, 30):
        cluster.write(topic, ["x"], timestamp=timestamp)
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()
    assert offsets(cluster, topic, moment) == {"0": offset, "1": 0}


def test_a_moment_before_1970_is_the_first_record(cluster: Cluster) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(3), timestamp=10)
    for year in ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.998Z", "1960-01-01T00:00:00Z"):
        assert offsets(cluster, topic, year) == {"0": 0}


def test_an_end_is_fixed_as_a_number(cluster: Cluster) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(4))
    assert offsets(cluster, topic, "latest") == offsets(cluster, topic, "2100-01-01T00:00:00Z") == {"0": 4}


def test_earliest_is_the_oldest_record_kept(cluster: Cluster) -> None:
    topic = cluster.topic(partitions=2)
    cluster.write(topic, range(10))
    cluster.trim(topic, 0, first=6)
    assert offsets(cluster, topic, "earliest") == {"0": 6, "1": 0}
    shards = cluster.broker.shards(KafkaTopic(topic))
    assert cluster.broker.bounds(shards) == {shards[0]: Bounds(6, 10), shards[1]: Bounds(0, 0)}


def test_a_duration_counts_back_from_the_brokers_clock(cluster: Cluster) -> None:
    topic = cluster.topic()
    noon = datetime(2026, 11, 1, 12, tzinfo=UTC)
    for hours in (3, 2, 1):
        cluster.write(topic, ["x"], timestamp=int(noon.timestamp() * 1000) - hours * 3_600_000)
    broker = KafkaBroker("kafka", {"bootstrap.servers": cluster.servers}, clock=lambda: noon)
    shards = broker.shards(KafkaTopic(topic))
    assert list(broker.resolve(parse("-2h"), shards).values()) == [1]
    broker.close()


def test_an_offset_names_one_partition_only(cluster: Cluster) -> None:
    topic = cluster.topic(partitions=3)
    assert offsets(cluster, topic, "1@77") == offsets(cluster, topic, f"{topic}/1@77") == {"1": 77}


@pytest.mark.parametrize("position", ["3@0", "other/1@0"])
def test_an_offset_of_what_is_not_there_is_refused_by_name(cluster: Cluster, position: str) -> None:
    topic = cluster.topic(partitions=2)
    with pytest.raises(InvalidPosition, match=position):
        offsets(cluster, topic, position)


def test_an_offset_of_several_topics_must_name_one(cluster: Cluster) -> None:
    topics = [cluster.topic(), cluster.topic()]
    shards = cluster.broker.shards(KafkaTopics(topics))
    with pytest.raises(InvalidPosition, match=f"{shards[0].stream}/0@5"):
        cluster.broker.resolve(parse("0@5"), shards)


def test_a_group_without_commits_has_nothing_to_inherit(cluster: Cluster) -> None:
    shards = cluster.broker.shards(KafkaTopic(cluster.topic()))
    assert cluster.broker.inherited(cluster.name(), shards) == {}


def test_a_position_of_another_broker_is_a_problem() -> None:
    broker = KafkaBroker("kafka", {"bootstrap.servers": "127.0.0.1:1"})
    assert "shardId-000" in (broker.position_problem(parse("shardId-000@5")) or "")
    assert all(broker.position_problem(parse(text)) is None for text in ("3@5", "a/3@5", "earliest", "-7d"))


def test_a_cluster_that_is_down_is_told_within_the_timeout() -> None:
    broker = KafkaBroker("kafka", {"bootstrap.servers": "127.0.0.1:1"})
    with pytest.raises(BrokerUnavailable, match="orders"):
        broker.shards(KafkaTopic("orders"))
    broker.close()
