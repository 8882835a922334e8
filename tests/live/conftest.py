"""A Kafka cluster with topics that are the test's own."""

import os
from collections.abc import Iterator

import pytest

from tests.live.kafka_cluster import Cluster


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(os.environ["KAFKA_BOOTSTRAP_SERVERS"]) as cluster:
        yield cluster
