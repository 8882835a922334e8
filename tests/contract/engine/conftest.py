"""Every test here runs on the local broker, on Apache Kafka and on Kinesis, with the database of the run.

Unless a module asks for real transactions, a test runs inside one that is rolled back: it is faster.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from django.test import override_settings

from streamapp import registry
from tests.contract.broker.benches import Bench, KafkaBench, KinesisBench, LocalBench, kinesis_options
from tests.contract.engine.project import Project

BENCHES = {"local": LocalBench, "kafka": KafkaBench, "kinesis": KinesisBench}
PARAMS = ["local", *(pytest.param(name, marks=pytest.mark.live(name)) for name in ("kafka", "kinesis"))]
STREAMAPP = {
    "BROKERS": {
        "local": {"BACKEND": "streamapp.brokers.local.LocalBroker"},
        "kafka": {
            "BACKEND": "streamapp.brokers.kafka.KafkaBroker",
            "OPTIONS": {"bootstrap.servers": os.environ.get("KAFKA_BOOTSTRAP_SERVERS")},
        },
        "kinesis": {
            "BACKEND": "streamapp.brokers.kinesis.KinesisBroker",
            "OPTIONS": kinesis_options("KINESIS_ENDPOINT_URL"),
        },
    }
}


class Benches:
    """One of each kind that is asked for: their clients take longer to make than a test."""

    def __init__(self) -> None:
        self._made: dict[str, Bench] = {}

    def of(self, kind: str) -> Bench:
        if kind not in self._made:
            self._made[kind] = BENCHES[kind]()
        return self._made[kind]

    def close(self) -> None:
        for bench in self._made.values():
            bench.close()


@pytest.fixture(scope="package")
def benches() -> Iterator[Benches]:
    benches = Benches()
    yield benches
    benches.close()
    registry.close_brokers()


@pytest.fixture(params=PARAMS)
def project(request: pytest.FixtureRequest, benches: Benches, db: None) -> Iterator[Project]:
    with override_settings(STREAMAPP=STREAMAPP), ExitStack() as services:
        yield Project(request.param, benches.of(request.param), services)
