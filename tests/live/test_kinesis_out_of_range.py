"""A subscription whose place retention has taken, on kinesalite: where it goes on is its policy."""

from datetime import timedelta

import pytest

from streamapp import KinesisStream, registry, subscriber
from streamapp.conf import configuration
from streamapp.engine.worker import Worker
from streamapp.services.from_handler import rewind_from_handler
from streamapp.store import Store
from tests.contract.broker.benches import kinesis_options, wait_for
from tests.live.kinesis_service import Service
from tests.live.test_kinesis_trimming import move_clock, trimmed

pytestmark = [pytest.mark.live("kinesalite"), pytest.mark.django_db(transaction=True)]
handled: list[bytes] = []


@subscriber(KinesisStream("shipments"))
def note(value: bytes) -> None:
    handled.append(value)


@pytest.fixture
def service():
    handled.clear()
    service = Service("KINESALITE_ENDPOINT_URL")
    yield service
    move_clock(timedelta())
    service.close()
    registry.close_brokers()


@pytest.fixture
def worker():
    mount = registry.mount("notes")
    brokers = {"kinesalite": registry.broker("kinesalite")}
    worker = Worker([mount], brokers, Store(configuration().DATABASE), configuration(), rewind_from_handler)
    yield worker
    worker.stop()
    assert worker.join(20)


def mount_at(settings, stream: str, start: str, policy: str) -> None:
    """Mount the handler at a place, with what to do when the place is gone."""
    subscription = {
        "HANDLER": f"{__name__}.note",
        "SOURCE": {"stream": stream, "poll_interval": 0.2},
        "START_AT": start,
        "ON_OUT_OF_RANGE": policy,
    }
    backend = "streamapp.brokers.kinesis.KinesisBroker"
    settings.STREAMAPP = {
        "BROKERS": {
            "kinesalite": {"BACKEND": backend, "OPTIONS": kinesis_options("KINESALITE_ENDPOINT_URL")}
        },
        "SUBSCRIPTIONS": {"notes": subscription},
    }


@pytest.fixture(params=["earliest", "latest"])
def policy(request, settings, service):
    """A policy, mounted at the place of a record that is trimmed; behind it one is kept."""
    source, old = trimmed(service)
    number = service.broker.describe(old.position)
    mount_at(settings, source.stream, f"{old.shard.id}@{number}", request.param)
    return request.param


def test_a_start_at_a_trimmed_record_goes_on_as_the_policy_says(policy, service, worker, caplog):
    worker.start()
    wait_for(lambda: "reading elsewhere" in caplog.text, "the loss is told")
    if policy == "latest":
        service.broker.publish(service.made[-1], b"new")
    wait_for(lambda: bool(handled), "a record is handled")

    assert handled == [b"kept" if policy == "earliest" else b"new"]
