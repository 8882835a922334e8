"""What can be said of Kafka's options and sources without any cluster."""

import subprocess
import sys
from typing import Any

import pytest

from streamapp.brokers.base import Subscribing
from streamapp.brokers.kafka import KafkaBroker, KafkaPartitions, KafkaTopic, KafkaTopics, reader
from streamapp.brokers.kafka.options import OWNED, consumer_options, is_eager, resolved
from streamapp.exceptions import ConfigurationError

SERVERS = {"bootstrap.servers": "127.0.0.1:1"}


def token(_config: str) -> tuple[str, float]:
    return "token", 0.0


@pytest.mark.parametrize("options", [{}, {"bootstrap.servers": ""}, {"bootstrap.servers": None}])
def test_missing_servers_are_a_problem(options: dict[str, Any]) -> None:
    (problem,) = KafkaBroker.option_problems(options)
    assert "bootstrap.servers" in problem


@pytest.mark.parametrize("name", OWNED)
def test_options_of_the_app_are_refused_on_broker_and_source(name: str) -> None:
    (problem,) = KafkaBroker.option_problems({**SERVERS, name: 1})
    assert name in problem
    for source in (KafkaTopic("a", client={name: 1}), KafkaPartitions("a", client={name: 1})):
        assert [name in text for text in source.problems()] == [True]


def test_owned_options_win_even_if_a_check_was_ignored() -> None:
    options = consumer_options({**SERVERS, "enable.auto.commit": True, "group.id": "other"}, "mine")
    assert (options["enable.auto.commit"], options["group.id"]) == (False, "mine")
    assert options["auto.offset.reset"] == "error"


def test_a_callback_may_be_a_dotted_path_or_a_callable() -> None:
    path = f"{__name__}.token"
    assert resolved({"oauth_cb": path})["oauth_cb"].__name__ == "token"
    assert resolved({"oauth_cb": token})["oauth_cb"] is token
    assert list(KafkaBroker.option_problems({**SERVERS, "oauth_cb": path})) == []


@pytest.mark.parametrize("path", ["nowhere.token", "streamapp.nothing", "token", "streamapp.brokers"])
def test_a_callback_that_cannot_be_imported_is_a_problem(path: str) -> None:
    (problem,) = KafkaBroker.option_problems({**SERVERS, "oauth_cb": path})
    assert path in problem


def test_an_option_that_the_client_does_not_know_is_named() -> None:
    broker = KafkaBroker("kafka", SERVERS)
    with pytest.raises(ConfigurationError, match=r"no\.such"):
        broker.reader(Subscribing("orders", KafkaTopic("a", client={"no.such": 1}), "g"))


@pytest.mark.parametrize(
    ("options", "eager"),
    [
        ({}, False),
        ({"partition.assignment.strategy": "range,roundrobin"}, True),
        ({"partition.assignment.strategy": "cooperative-sticky"}, False),
        ({"group.protocol": "consumer"}, False),
    ],
)
def test_the_protocol_follows_from_the_options(options: dict[str, Any], eager: bool) -> None:
    assert is_eager(options) is eager
    assert ("partition.assignment.strategy" in consumer_options(options, "g")) is (
        "group.protocol" not in options
    )


@pytest.mark.parametrize(
    "source",
    [
        KafkaTopic(""),
        KafkaTopic("^a"),
        KafkaTopics([]),
        KafkaTopics(["a", " "]),
        KafkaTopics(["^a", "b"]),
        KafkaTopics("^(a"),
        KafkaTopics(r"^orders-\d+"),
        KafkaTopics(r"^orders\\\D"),
        KafkaTopics("^(?:a|b)$"),
        KafkaTopics("^a(?!b)"),
        KafkaPartitions("^a"),
        KafkaPartitions("a", partitions=()),
        KafkaPartitions("a", partitions=(0, -1)),
    ],
)
def test_a_source_that_names_nothing_readable_is_a_problem(
    source: KafkaTopic | KafkaTopics | KafkaPartitions,
) -> None:
    assert len(list(source.problems())) == 1


SOUND = ("^a", "^(a|b)[0-9]+$", r"^a\.b", r"^a\\d")


@pytest.mark.parametrize("source", [KafkaTopic("a"), KafkaTopics(["a", "b"]), *map(KafkaTopics, SOUND)])
def test_a_sound_source_has_no_problem(source: KafkaTopic | KafkaTopics) -> None:
    assert list(source.problems()) == []


def test_sources_can_be_declared_without_the_client_library() -> None:
    code = "import sys; sys.modules['confluent_kafka'] = None; from streamapp.brokers.kafka import KafkaTopic"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_reader_whose_pattern_is_refused_leaves_no_client_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(
        reader, "close_consumer", lambda consumer, name: (consumer.close(), closed.append(name))
    )
    with pytest.raises(ConfigurationError, match="subscribe orders"):
        KafkaBroker("kafka", SERVERS).reader(Subscribing("orders", KafkaTopics("^(?:a)"), "g"))
    assert closed == ["orders"]
