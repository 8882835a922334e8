"""How the local reader asks its database: fairly, in few queries, and without losing its place."""

import pytest
from django.db import DatabaseError, connection

from streamapp.brokers.base import Subscribing
from streamapp.brokers.local import LocalBroker, LocalStream
from streamapp.brokers.local.sharing import shares
from streamapp.brokers.reading import Missing, OutOfRange, Reader
from streamapp.records import Shard

pytestmark = pytest.mark.django_db


def reading(
    broker: LocalBroker, stream: str, partitions: int = 1, limit: int = 500
) -> tuple[Reader, list[Shard]]:
    """Open all partitions of a stream at their first record."""
    source = LocalStream(stream, partitions)
    reader = broker.reader(Subscribing("reads", source, "reads", limit))
    shards = broker.shards(source)
    reader.open(dict.fromkeys(shards, 0))
    return reader, shards


def fill(broker: LocalBroker, shards: list[Shard], count: int) -> None:
    """Publish so many records to each partition: without keys they take turns."""
    broker.publish_many(shards[0].stream, [(None, b"")] * count * len(shards))


def counts(polled) -> dict[str, int]:
    return {chunk.shard.id: len(chunk) for chunk in polled.chunks}


@pytest.mark.parametrize(
    ("news", "limit", "divided"),
    [
        ([1000, 1000], 10, [5, 5]),
        ([1000, 1, 2], 10, [7, 1, 2]),
        ([2, 3], 10, [2, 3]),
        ([1000, 1000, 1000], 10, [3, 3, 4]),
        ([9, 9, 9], 2, [1, 1, 0]),
        ([], 10, []),
    ],
)
def test_a_poll_is_divided_evenly_and_nothing_of_it_is_wasted(news, limit, divided):
    shards = [Shard("orders", str(number)) for number in range(len(news))]

    given = shares(dict(zip(shards, news, strict=True)), limit)

    assert [given.get(shard, 0) for shard in shards] == divided


def test_more_partitions_than_records_in_a_poll_take_turns():
    broker = LocalBroker("local", {})
    reader, shards = reading(broker, "orders", partitions=5, limit=2)
    fill(broker, shards, 4)

    polls = [counts(reader.poll(0)) for _ in range(5)]

    assert [sum(taken.values()) for taken in polls] == [2] * 5
    assert sorted(shard for taken in polls for shard in taken) == sorted("01234" * 2)


def test_a_poll_asks_once_for_all_shards_and_once_for_each_with_news(django_assert_num_queries):
    broker = LocalBroker("local", {})
    reader, shards = reading(broker, "orders", partitions=8)

    with django_assert_num_queries(1):
        reader.poll(0)
    broker.publish("orders", b"")
    with django_assert_num_queries(2):
        reader.poll(0)
    reader.close_shards(shards)
    with django_assert_num_queries(0):
        reader.poll(0)


def test_a_poll_without_time_does_not_wait():
    waits: list[float] = []
    reader, _ = reading(LocalBroker("local", {}, wait=waits.append), "orders")

    reader.poll(0)

    assert waits == []


def test_a_poll_asks_again_until_its_time_is_over():
    waits: list[float] = []
    reader, (shard,) = reading(LocalBroker("local", {}, wait=waits.append), "orders")

    polled = reader.poll(0.32)

    assert sum(waits) == pytest.approx(0.32)
    assert max(waits) <= 0.1
    assert (polled.chunks, polled.ends) == ([], {shard: 0})


def test_a_poll_returns_at_once_when_a_record_comes():
    waits: list[float] = []

    def publish_while_waiting(seconds: float) -> None:
        waits.append(seconds)
        broker.publish("orders", b"came")

    broker = LocalBroker("local", {}, wait=publish_while_waiting)
    reader, _ = reading(broker, "orders")

    (chunk,) = reader.poll(60).chunks

    assert chunk.values() == [b"came"]
    assert len(waits) == 1


def test_the_end_is_told_together_with_the_last_record():
    broker = LocalBroker("local", {})
    reader, (shard,) = reading(broker, "orders", limit=2)
    fill(broker, [shard], 3)

    assert reader.poll(0).ends == {}
    last = reader.poll(0)
    assert (counts(last), last.ends) == ({"0": 1}, {shard: 3})


def test_a_deleted_stream_is_missing_once_and_the_new_one_is_another():
    broker = LocalBroker("local", {})
    reader, old = reading(broker, "orders", partitions=2)
    broker.delete_stream("orders")
    new = broker.publish("orders", b"").shard

    assert reader.poll(0).events == [Missing("orders")]
    assert not reader.poll(0).events
    assert new not in old
    reader.open({new: 0})
    assert counts(reader.poll(0)) == {"0": 1}


def test_a_shard_that_retention_overtakes_while_it_is_read_is_out_of_range():
    broker = LocalBroker("local", {})
    reader, (shard,) = reading(broker, "orders", limit=2)
    fill(broker, [shard], 10)
    reader.poll(0)
    broker.trim(shard, 5)

    polled = reader.poll(0)

    assert (polled.events, polled.chunks, polled.ends) == ([OutOfRange(shard, 2)], [], {})
    assert not reader.poll(0).events


def test_records_trimmed_between_two_queries_of_a_poll_are_never_skipped_silently():
    broker = LocalBroker("local", {})
    reader, (shard,) = reading(broker, "orders")
    fill(broker, [shard], 10)

    def trim_before_reading(execute, sql, params, many, context):
        if "streamapp_localrecord" in sql and sql.startswith("SELECT"):
            broker.trim(shard, 5)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(trim_before_reading):
        polled = reader.poll(0)

    assert not polled.chunks
    assert reader.poll(0).events == [OutOfRange(shard, 0)]


def test_a_database_error_goes_up_and_the_reader_keeps_its_place():
    broker = LocalBroker("local", {})
    reader, (shard,) = reading(broker, "orders")
    fill(broker, [shard], 3)

    def fail(*_):
        raise DatabaseError("the database is down")

    with connection.execute_wrapper(fail), pytest.raises(DatabaseError, match="is down"):
        reader.poll(0)

    assert counts(reader.poll(0)) == {"0": 3}


def test_a_poll_that_fails_halfway_has_moved_no_shard_and_forgotten_no_event():
    broker = LocalBroker("local", {})
    reader, shards = reading(broker, "orders", partitions=3)
    fill(broker, shards, 4)
    broker.trim(shards[0], 2)
    queries = []

    def fail_at_the_third(execute, *query):
        queries.append(query)
        if len(queries) == 3:
            raise DatabaseError("the database is down")
        return execute(*query)

    with connection.execute_wrapper(fail_at_the_third), pytest.raises(DatabaseError, match="is down"):
        reader.poll(0)

    polled = reader.poll(0)
    assert polled.events == [OutOfRange(shards[0], 0)]
    assert counts(polled) == {"1": 4, "2": 4}
    assert [chunk.position(0) for chunk in polled.chunks] == [0, 0]


@pytest.mark.django_db(transaction=True)
def test_a_broken_connection_is_replaced_at_the_next_poll():
    broker = LocalBroker("local", {})
    reader, (shard,) = reading(broker, "orders")
    fill(broker, [shard], 3)
    connection.connection.close()

    with pytest.raises(Exception, match="closed"):
        reader.poll(0)

    assert counts(reader.poll(0)) == {"0": 3}


def test_trimming_follows_the_log_and_never_goes_back():
    broker = LocalBroker("local", {})
    _, (shard,) = reading(broker, "orders")
    fill(broker, [shard], 3)

    firsts = []
    for before in (2, 1, 99):
        broker.trim(shard, before)
        firsts.append(broker.bounds([shard])[shard].first)

    assert firsts == [2, 2, 3]
    broker.trim(Shard("nowhere", "0"), 1)
