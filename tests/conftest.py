"""What all tests share: live suites are skipped, with the reason, where their server is missing."""

import os

import pytest

from tests.settings import SQLITE

SERVERS = {
    "kafka": "KAFKA_BOOTSTRAP_SERVERS",
    "postgres": "DATABASE_URL",
    "kinesis": "KINESIS_ENDPOINT_URL",
    "kinesalite": "KINESALITE_ENDPOINT_URL",
    "moto": "MOTO_ENDPOINT_URL",
    "redis": "REDIS_URL",
    "rabbitmq": "RABBITMQ_URL",
    "chromium": "CHROMIUM",
}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a server that isn't up."""
    for mark in item.iter_markers("live"):
        for server in mark.args:
            if not os.environ.get(SERVERS[server]):
                pytest.skip(f"{server}: not up, see script/services up {server}")
            if server == "postgres" and SQLITE:
                pytest.skip("postgres: STREAMAPP_TEST_DATABASE asks for SQLite")
