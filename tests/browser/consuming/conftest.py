"""Consumers that run on real servers, one process a broker for all tests of this package."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings

from streamapp import registry
from tests.browser.consuming.stage import Stage

BROKERS = [
    pytest.param("kafka", marks=pytest.mark.live("kafka")),
    pytest.param("kinesis", marks=pytest.mark.live("kinesis")),
]


@pytest.fixture(scope="package", params=BROKERS)
def running(request: pytest.FixtureRequest, tmp_path_factory: Any, server: str) -> Iterator[Stage]:
    """One worker process a broker, for all tests."""
    stage = Stage(request.param, tmp_path_factory.mktemp(request.param))
    try:
        with override_settings(STREAMAPP=stage.settings):
            stage.fill()
            yield stage
            stage.worker.stop()
            registry.close_brokers()
    finally:
        stage.close()
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def stage(running: Stage) -> Iterator[Stage]:
    """The consumers, who have read everything and go on running."""
    running.rest()
    yield running
    running.worker.open_gate()
