"""Publishing to the local log: transactions, order under concurrent writers, and refusals."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for_futures

import pytest
from django.conf import settings
from django.db import close_old_connections, connection, connections, transaction

from streamapp.brokers.base import Subscribing
from streamapp.brokers.local import LocalBroker, LocalStream
from streamapp.exceptions import PublishFailed

several = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker(db) -> LocalBroker:
    return LocalBroker("local", {})


@pytest.fixture
def writers():
    with ThreadPoolExecutor(4) as pool:
        yield pool


def in_thread(act):
    """Wrap what runs in a thread, so that its connection is closed afterwards."""

    def run(*arguments):
        try:
            return act(*arguments)
        finally:
            connections.close_all()

    return run


def positions_read(broker: LocalBroker, stream: str, count: int) -> list[int]:
    """Read one partition from its start until so many records have come; return their positions."""
    reader = broker.reader(Subscribing("reads", LocalStream(stream), "reads", limit=50))
    (shard,) = broker.shards(LocalStream(stream))
    reader.open({shard: 0})
    positions: list[int] = []
    while len(positions) < count:
        chunks = reader.poll(30.0).chunks
        assert chunks, f"only {len(positions)} of {count} records came"
        positions += [chunk.position(index) for chunk in chunks for index in range(len(chunk))]
    return positions


def test_without_a_key_partitions_take_turns_in_each_stream(broker):
    broker.reader(Subscribing("reads", LocalStream("orders", partitions=3), "reads"))
    broker.reader(Subscribing("reads", LocalStream("refunds", partitions=2), "reads"))

    shards = [(broker.publish("orders", b""), broker.publish("refunds", b"")) for _ in range(6)]

    assert [order.shard.id for order, _ in shards] == ["0", "1", "2", "0", "1", "2"]
    assert [refund.shard.id for _, refund in shards] == ["0", "1", "0", "1", "0", "1"]


def test_many_records_are_stored_as_if_one_by_one(broker):
    broker.reader(Subscribing("reads", LocalStream("orders", partitions=4), "reads"))
    keys = [str(number).encode() for number in range(40)]

    many = broker.publish_many("orders", [(key, key) for key in keys])
    again = [broker.publish("orders", key, key=key) for key in keys]

    assert [place.shard for place in many] == [place.shard for place in again]
    ends = {place.shard: place.position + 1 for place in again}
    assert sum(ends.values()) == 80
    for shard, end in ends.items():
        places = [place.position for place in (*many, *again) if place.shard == shard]
        assert places == list(range(end))


def test_no_record_is_stored_with_no_record(broker):
    assert broker.publish_many("orders", []) == []


@pytest.mark.parametrize("name", ["", "  ", "^orders"])
def test_a_destination_that_is_no_name_is_refused(broker, name):
    with pytest.raises(PublishFailed, match="not the name of a stream"):
        broker.publish(name, b"")


@several
def test_a_record_published_in_a_transaction_is_part_of_it(broker):
    shard = broker.publish("orders", b"first").shard

    with pytest.raises(ZeroDivisionError), transaction.atomic():
        broker.publish("orders", b"rolled back")
        raise ZeroDivisionError
    assert broker.bounds([shard])[shard].end == 1

    with transaction.atomic():
        assert broker.publish("orders", b"second").position == 1
    assert positions_read(broker, "orders", 2) == [0, 1]


@several
def test_a_later_offset_is_never_visible_before_an_earlier_one(broker, writers):
    shard = broker.publish("orders", b"first").shard
    reader = broker.reader(Subscribing("reads", LocalStream("orders"), "reads"))
    reader.open({shard: 1})

    with transaction.atomic():
        earlier = broker.publish("orders", b"earlier").position
        later = writers.submit(in_thread(broker.publish), "orders", b"later")
        finished, _ = wait_for_futures([later], timeout=0.5)
        seen = writers.submit(in_thread(reader.poll), 0).result()

    assert not finished
    assert not seen.chunks
    assert (earlier, later.result().position) == (1, 2)
    (chunk,) = reader.poll(0).chunks
    assert chunk.values() == [b"earlier", b"later"]


@several
def test_a_reader_sees_every_record_of_concurrent_writers_once_and_in_order(broker, writers):
    broker.publish("orders", b"first")

    def write(number: int) -> None:
        for turn in range(40):
            with transaction.atomic():
                broker.publish("orders", f"{number}/{turn}".encode())
                if turn % 4 == 0:
                    transaction.set_rollback(True)

    writing = [writers.submit(in_thread(write), number) for number in range(3)]
    expected = 1 + 3 * 30
    positions = positions_read(broker, "orders", expected)

    assert [future.result() for future in writing] == [None] * 3
    assert positions == list(range(expected))


@several
def test_writers_that_make_the_same_stream_at_once_make_one(broker, writers):
    places = list(writers.map(in_thread(lambda _: broker.publish("orders", b"")), range(8)))

    assert len({place.shard for place in places}) == 1
    assert sorted(place.position for place in places) == list(range(8))


@several
def test_several_processes_write_one_log(broker):
    command = [
        sys.executable,
        "-m",
        "tests.unit.local_writer",
        connection.settings_dict["NAME"],
        "orders",
        "30",
    ]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE}
    processes = [subprocess.Popen(command, env=environment) for _ in range(2)]
    positions = positions_read(broker, "orders", 60)

    assert [process.wait() for process in processes] == [0, 0]
    assert positions == list(range(60))
    close_old_connections()
