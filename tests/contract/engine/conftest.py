"""Every test here runs on the local broker and on Apache Kafka, with the database of the run.

Unless a module asks for real transactions, a test runs inside one that is rolled back: it is faster.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from django.test import override_settings

from streamapp import registry
from tests.contract.broker.benches import KafkaBench, LocalBench
from tests.contract.engine.project import Project

BENCHES = {"local": LocalBench, "kafka": KafkaBench}
PARAMS = ["local", pytest.param("kafka", marks=pytest.mark.live("kafka"))]
SERVERS = os.environ.get("KAFKA_BOOTSTRAP_SERVERS")
STREAMAPP = {
    "BROKERS": {
        "local": {"BACKEND": "streamapp.brokers.local.LocalBroker"},
        "kafka": {
            "BACKEND": "streamapp.brokers.kafka.KafkaBroker",
            "OPTIONS": {"bootstrap.servers": SERVERS},
        },
    }
}


@pytest.fixture(params=PARAMS)
def project(request: pytest.FixtureRequest, db: None) -> Iterator[Project]:
    bench = BENCHES[request.param]()
    with override_settings(STREAMAPP=STREAMAPP), ExitStack() as exits:
        exits.callback(bench.close)
        exits.callback(registry.close_brokers)
        yield Project(request.param, bench, exits.enter_context(ExitStack()))
