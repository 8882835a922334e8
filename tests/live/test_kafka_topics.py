"""Topics that come late, grow, and are made again, on Apache Kafka."""

import pytest

from streamapp.brokers.kafka import KafkaTopic, KafkaTopics
from streamapp.brokers.reading import Assigned, Lost, Missing
from tests.live.kafka_cluster import PROTOCOLS, Cluster, wait

pytestmark = pytest.mark.live("kafka")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_late_topic_is_missed_once_and_found_when_it_comes(cluster: Cluster, protocol: str) -> None:
    early, late = cluster.topic(), cluster.name()
    watched = cluster.watch(KafkaTopics([early, late], client=PROTOCOLS[protocol]))
    watched.until(lambda: Missing(late) in watched.events)
    watched.until(lambda: [shard.stream for shard in watched.told(Assigned)] == [early])
    watched.settle(6)
    assert watched.events.count(Missing(late)) == 1
    cluster.topic(name=late)
    watched.until(lambda: late in [shard.stream for shard in watched.told(Assigned)], seconds=10)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_new_partitions_are_assigned_within_seconds(cluster: Cluster, protocol: str) -> None:
    topic = cluster.topic(partitions=1)
    watched = cluster.watch(KafkaTopic(topic, client=PROTOCOLS[protocol]))
    watched.assigned()
    cluster.grow(topic, 3)
    watched.until(lambda: {shard.id for shard in watched.told(Assigned)} == {"0", "1", "2"}, seconds=10)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_pattern_takes_what_begins_like_it_also_later(cluster: Cluster, protocol: str) -> None:
    prefix = cluster.name()
    cluster.topic(name=f"{prefix}-a")
    cluster.topic(name=f"other-{prefix}")
    source = KafkaTopics(f"^{prefix}", client=PROTOCOLS[protocol])
    watched = cluster.watch(source)
    watched.assigned()
    cluster.topic(name=f"{prefix}-b")
    # With the consumer protocol brokers match patterns, and do so every ten seconds at most.
    watched.until(lambda: len(set(watched.told(Assigned))) == 2, seconds=30)
    assert sorted(set(watched.told(Assigned))) == cluster.broker.shards(source)
    assert {shard.stream for shard in watched.told(Assigned)} == {f"{prefix}-a", f"{prefix}-b"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_topic_made_again_is_another_one_and_starts_at_its_first_record(
    cluster: Cluster, protocol: str
) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(3))
    watched = cluster.watch(KafkaTopic(topic, client=PROTOCOLS[protocol]))
    (old,) = watched.assigned()
    watched.reader.open({old: 0})
    watched.until(lambda: old in watched.ends)
    watched.forget()

    cluster.recreate(topic)
    cluster.write(topic, ["new"] * 8)
    watched.until(lambda: watched.told(Assigned))
    new = watched.told(Assigned)[-1]
    assert (new.stream, new.id) == (old.stream, old.id)
    assert new.incarnation != old.incarnation
    assert old not in watched.told(Assigned)
    gone = next(event for event in watched.events if not isinstance(event, Missing | Assigned))
    assert gone.shards == (old,)
    watched.reader.open({new: 0})
    watched.until(lambda: watched.positions(new) == list(range(8)))


def test_a_deleted_topic_is_lost_and_missing(cluster: Cluster) -> None:
    topic = cluster.topic()
    watched = cluster.watch(KafkaTopic(topic))
    (shard,) = watched.assigned()
    watched.reader.open({shard: 0})
    watched.poll()
    cluster.delete(topic)
    watched.until(lambda: Missing(topic) in watched.events and watched.told(Lost) == [shard])
    assert cluster.broker.shards(KafkaTopic(topic)) == []
    assert cluster.broker.bounds([shard]) == {}


def test_an_old_incarnation_has_no_bounds(cluster: Cluster) -> None:
    topic = cluster.topic()
    (old,) = cluster.broker.shards(KafkaTopic(topic))
    cluster.recreate(topic)
    wait(lambda: cluster.broker.shards(KafkaTopic(topic)) not in ([], [old]))
    (new,) = cluster.broker.shards(KafkaTopic(topic))
    assert list(cluster.broker.bounds([old, new])) == [new]
