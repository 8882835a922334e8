"""The same test body on the local broker and, with one switch, on a live one."""

import os

import pytest
from django.test import override_settings

from streamapp import KafkaTopic, KinesisStream, Outcome, publish, registry, subscriber
from streamapp.testing import Service
from tests.contract.broker.benches import KafkaBench, KinesisBench, kinesis_options

KINDS = ["local", *(pytest.param(kind, marks=pytest.mark.live(kind)) for kind in ("kafka", "kinesis"))]
BENCHES = {"kafka": KafkaBench, "kinesis": KinesisBench}


@subscriber(KafkaTopic("named in the settings"))
def forward(order: dict[str, str]) -> Outcome | None:
    if order["to"] == "nobody":
        return Outcome.hold("who?")
    publish(order["to"], order)
    return None


@subscriber(KinesisStream("named in the settings", poll_interval=0.2))
def forward_from_kinesis(order: dict[str, str]) -> Outcome | None:
    return forward(order)


KAFKA = {
    "BACKEND": "streamapp.brokers.kafka.KafkaBroker",
    "OPTIONS": {"bootstrap.servers": os.environ.get("KAFKA_BOOTSTRAP_SERVERS", "nowhere:9092")},
}
KINESIS = {
    "BACKEND": "streamapp.brokers.kinesis.KinesisBroker",
    "OPTIONS": kinesis_options("KINESIS_ENDPOINT_URL"),
}


def mounted(kind: str, source: str) -> override_settings:
    mount = {"HANDLER": f"{__name__}.forward", "SOURCE": {"topic": source}}
    if kind == "kinesis":
        mount = {"HANDLER": f"{__name__}.forward_from_kinesis", "SOURCE": {"stream": source}}
    broker = KINESIS if kind == "kinesis" else KAFKA
    return override_settings(STREAMAPP={"BROKERS": {"any": broker}, "SUBSCRIPTIONS": {"forward": mount}})


@pytest.fixture(params=KINDS)
def topics(request, db, monkeypatch):
    live = request.param != "local"
    monkeypatch.setenv("STREAMAPP_TEST_LIVE", "1" if live else "")
    bench = BENCHES[request.param]() if live else None
    source, destination = [bench.stream(2) for _ in range(2)] if bench else ["orders", "forwarded"]
    with mounted(request.param, source):
        yield source, destination
        registry.close_brokers()
    if bench:
        bench.close()


def test_one_body_runs_on_both(topics):
    source, destination = topics
    with Service("forward", partitions=2) as service:
        for number in range(6):
            service.publish(source, {"to": destination, "number": str(number)}, key=str(number))
        held = service.publish(source, {"to": "nobody"}, key="7")
        service.run()
        assert len(service.settled) == len(service.published(destination)) == 6
        assert service.checkpoint("forward", str(held.shard)) == held.position
        service.restart()
        service.run()
        assert [delivery.record.position for delivery in service.held] == [held.position]


def test_every_service_begins_where_the_topic_ends(topics):
    source, destination = topics
    for number in range(2):
        with Service("forward") as service:
            service.publish(source, {"to": destination, "number": str(number)})
            service.run()
            numbers = [delivery.record.json()["number"] for delivery in service.settled]
            assert numbers == [str(number)]


def test_two_workers_share_the_shards_and_one_takes_over(topics):
    source, destination = topics
    with Service("forward", partitions=2) as one, Service(beside=one) as other:
        one.run()
        for number in range(8):
            one.publish(source, {"to": destination, "number": str(number)}, key=str(number))
        one.run(save=False)
        mine, others = len(one.settled), len(other.settled)
        assert mine and others and mine + others == 8
        one.die()
        other.run()
        assert len(other.settled) == others + mine
