"""Live servers: which tests need them, and a Kafka cluster with topics that are the test's own."""

import os
from collections.abc import Iterator

import pytest

from tests.live.kafka_cluster import Cluster

VARIABLES = {"kafka": "KAFKA_BOOTSTRAP_SERVERS", "postgres": "DATABASE_URL"}


def pytest_runtest_setup(item: pytest.Item) -> None:
    needed = [server for marker in item.iter_markers("live") for server in marker.args]
    for server in needed:
        if not os.environ.get(VARIABLES.get(server, "")):
            pytest.skip(f"{server} is not up: run script/services up {server} and export .services/env")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(os.environ["KAFKA_BOOTSTRAP_SERVERS"]) as cluster:
        yield cluster
