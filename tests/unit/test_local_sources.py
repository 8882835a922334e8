"""What the local broker reads: its own streams and the sources of Kafka, before and after they exist."""

import subprocess
import sys

import pytest

from streamapp.brokers.base import Subscribing
from streamapp.brokers.kafka.sources import KafkaPartitions, KafkaTopic, KafkaTopics
from streamapp.brokers.local import LocalBroker, LocalStream


def read(broker: LocalBroker, source) -> list[str]:
    """Make a reader, as a worker does at its start, and return the shards of the source."""
    broker.reader(Subscribing("reads", source, "reads")).close()
    return [str(shard) for shard in broker.shards(source)]


def test_a_stream_can_be_declared_before_the_apps_are_ready():
    statement = (
        "from streamapp.brokers.local import LocalBroker, LocalStream; import sys; "
        "LocalStream('orders'); assert 'streamapp.models' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", statement], check=True, env={"PYTHONPATH": "."})


@pytest.mark.parametrize(
    ("source", "problem"),
    [(LocalStream("^orders"), "'^orders'"), (LocalStream(" "), "' '"), (LocalStream("orders", 0), "not 0")],
)
def test_a_wrong_source_is_told_without_a_database(source, problem):
    assert [problem in text for text in source.problems()] == [True]


def test_a_right_source_has_no_problem():
    assert list(LocalStream("orders", partitions=3).problems()) == []
    assert LocalStream("orders").streams() == ("orders",)


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"partition": 2}, "'partition'"), ({"partitions": 0}, "not 0"), ({"partitions": "4"}, "not '4'")],
)
def test_a_wrong_option_is_told_without_a_database(options, problem):
    assert [problem in text for text in LocalBroker.option_problems(options)] == [True]
    assert list(LocalBroker.option_problems({"partitions": 4})) == []


@pytest.mark.django_db
def test_a_reader_makes_the_stream_it_needs():
    broker = LocalBroker("local", {})
    source = LocalStream("orders", partitions=3)

    assert broker.shards(source) == []
    assert read(broker, source) == ["orders/0", "orders/1", "orders/2"]


@pytest.mark.django_db
def test_a_stream_grows_to_the_partitions_asked_for_and_keeps_its_records():
    broker = LocalBroker("local", {})
    first = broker.publish("orders", b"before")

    assert read(broker, LocalStream("orders", partitions=3)) == ["orders/0", "orders/1", "orders/2"]
    assert read(broker, LocalStream("orders", partitions=1)) == ["orders/0", "orders/1", "orders/2"]
    assert broker.bounds([first.shard])[first.shard].end == 1


@pytest.mark.django_db
def test_sources_of_kafka_run_on_the_local_broker_unchanged():
    broker = LocalBroker("local", {"partitions": 2})

    assert read(broker, KafkaTopic("orders")) == ["orders/0", "orders/1"]
    assert read(broker, KafkaTopics(["orders", "refunds"])) == [
        "orders/0", "orders/1", "refunds/0", "refunds/1",
    ]  # fmt: skip
    assert read(broker, KafkaPartitions("parcels", partitions=(3, 1))) == ["parcels/1", "parcels/3"]
    assert read(broker, KafkaPartitions("letters")) == ["letters/0", "letters/1"]


@pytest.mark.django_db
def test_a_pattern_makes_no_stream_and_finds_those_that_appear_later():
    broker = LocalBroker("local", {})
    pattern = KafkaTopics("^orders[.]")

    assert read(broker, pattern) == []
    for stream in ("orders.eu", "ordersXeu", "more.orders.eu", "orders.us"):
        broker.publish(stream, b"")
    assert read(broker, pattern) == ["orders.eu/0", "orders.us/0"]


@pytest.mark.django_db
def test_two_brokers_have_streams_of_their_own():
    one, other = LocalBroker("one", {}), LocalBroker("other", {})
    published = one.publish("orders", b"")

    assert one.shards(LocalStream("orders")) == [published.shard]
    assert other.shards(LocalStream("orders")) == []
    assert other.bounds([published.shard]) == {}
    other.delete_stream("orders")
    assert one.shards(LocalStream("orders")) == [published.shard]
