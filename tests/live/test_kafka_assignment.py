"""What a group gives and takes, on Apache Kafka, in each of its protocols."""

import time
from typing import Any

import pytest

from streamapp.brokers.kafka import KafkaTopic
from streamapp.brokers.reading import Assigned, Lost, Revoked
from streamapp.records import Shard
from tests.live.kafka_cluster import PROTOCOLS, Cluster, wait

pytestmark = pytest.mark.live("kafka")


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> dict[str, Any]:
    return PROTOCOLS[request.param]


def test_nothing_is_delivered_before_it_is_opened(cluster: Cluster, protocol: dict[str, Any]) -> None:
    topic = cluster.topic(partitions=2)
    cluster.write(topic, range(20))
    watched = cluster.watch(KafkaTopic(topic, client=protocol))
    assert [shard.id for shard in watched.assigned()] == ["0", "1"]
    watched.settle()
    assert (watched.records, watched.ends) == ([], {})


@pytest.mark.parametrize("start", [0, 57, 100])
def test_reading_starts_exactly_where_it_was_opened(
    cluster: Cluster, protocol: dict[str, Any], start: int
) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(100))
    watched = cluster.watch(KafkaTopic(topic, client=protocol))
    (shard,) = watched.assigned()
    watched.reader.open({shard: start})
    watched.until(lambda: shard in watched.ends)
    cluster.write(topic, ["new"])
    watched.until(lambda: watched.ends[shard] == 101)
    assert watched.positions() == list(range(start, 101))


def test_a_second_member_takes_a_share_and_gives_it_back(cluster: Cluster, protocol: dict[str, Any]) -> None:
    topic, group = cluster.topic(partitions=4), cluster.name()
    first = cluster.watch(KafkaTopic(topic, client=protocol), group)
    given = first.assigned()
    first.reader.open(dict.fromkeys(given, 0))
    first.forget()

    second = cluster.watch(KafkaTopic(topic, client=protocol), group)

    def kept() -> list[Shard]:
        return sorted(set(given) - set(first.told(Revoked)) | set(first.told(Assigned)))

    wait(lambda: (first.poll(), second.poll(), second.told(Assigned) and kept())[-1])
    taken = second.told(Assigned)
    assert (len(taken), len(kept())) == (2, 2)
    assert sorted(taken + kept()) == given
    assert first.told(Lost) == []

    first.forget()
    second.close()
    first.until(lambda: set(taken) <= set(first.told(Assigned)))
    assert first.told(Lost) == []


def test_a_shard_that_went_away_delivers_nothing_and_cannot_be_opened(
    cluster: Cluster, protocol: dict[str, Any]
) -> None:
    topic, group = cluster.topic(partitions=2), cluster.name()
    first = cluster.watch(KafkaTopic(topic, client=protocol), group)
    given = first.assigned()
    first.reader.open(dict.fromkeys(given, 0))
    second = cluster.watch(KafkaTopic(topic, client=protocol), group)
    wait(lambda: (first.poll(), second.poll(), second.told(Assigned))[-1])
    (taken,) = second.told(Assigned)

    first.reader.open({taken: 0})
    cluster.write(topic, range(5), partition=int(taken.id))
    first.settle()
    assert first.positions(taken) == []
    second.reader.open({taken: 0})
    second.until(lambda: second.positions(taken) == list(range(5)))


def test_a_member_that_was_put_out_hears_lost_and_not_revoked(
    cluster: Cluster, protocol: dict[str, Any]
) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(10))
    limits = {"max.poll.interval.ms": 2000}
    if "group.protocol" not in protocol:
        limits["session.timeout.ms"] = 2000
    watched = cluster.watch(KafkaTopic(topic, client={**protocol, **limits}))
    (shard,) = watched.assigned()
    watched.reader.open({shard: 0})
    watched.until(lambda: watched.records)
    watched.forget()

    time.sleep(3)
    watched.until(lambda: watched.told(Assigned))
    assert [type(event) for event in watched.events] == [Lost, Assigned]
    watched.reader.open({shard: 4})
    watched.until(lambda: watched.records)
    assert watched.positions() == list(range(4, 10))


def test_a_handler_slower_than_the_poll_interval_keeps_the_membership(
    cluster: Cluster, protocol: dict[str, Any]
) -> None:
    topic = cluster.topic()
    cluster.write(topic, range(1000))
    limits = {"max.poll.interval.ms": 6000}
    if "group.protocol" not in protocol:
        limits["session.timeout.ms"] = 6000
    watched = cluster.watch(KafkaTopic(topic, client={**protocol, **limits}), limit=100)
    (shard,) = watched.assigned()
    watched.reader.open({shard: 0})
    watched.until(lambda: watched.records)
    watched.events.clear()

    deadline = time.monotonic() + 9
    while time.monotonic() < deadline:
        watched.reader.keep_alive()
        time.sleep(0.3)
    watched.until(lambda: shard in watched.ends)
    assert watched.events == []
    assert watched.positions() == list(range(1000))


def test_an_assignment_during_a_slow_handler_is_told_by_the_next_poll(
    cluster: Cluster, protocol: dict[str, Any]
) -> None:
    topic, group = cluster.topic(partitions=2), cluster.name()
    first = cluster.watch(KafkaTopic(topic, client=protocol), group)
    first.reader.open(dict.fromkeys(first.assigned(), 0))
    first.forget()
    second = cluster.watch(KafkaTopic(topic, client=protocol), group)
    wait(lambda: (first.reader.keep_alive(), second.poll(), second.told(Assigned))[-1])
    assert first.events == []
    first.poll()
    assert isinstance(first.events[0], Revoked)
    assert set(second.told(Assigned)) <= set(first.told(Revoked))
