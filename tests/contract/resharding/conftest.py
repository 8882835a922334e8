"""Streams of kinesis-local, the database of the run, and workers that are cleared away."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command

from tests.contract.resharding.stage import Stage
from tests.live.kinesis_service import Service


@pytest.fixture(scope="package")
def db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Every test has names of its own, so the tables are emptied only once."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service("KINESIS_ENDPOINT_URL")
    yield service
    service.close()


@pytest.fixture
def stages(service: Service, db: None) -> Iterator[Callable[..., Stage]]:
    """Make stages that are cleared after the test."""
    made: list[Stage] = []

    def stage(shards: int = 1, **options: Any) -> Stage:
        made.append(Stage(service, shards, **options))
        return made[-1]

    yield stage
    for each in made:
        each.close()


@pytest.fixture
def stage(stages: Callable[..., Stage]) -> Stage:
    """A subscription to a stream with one shard."""
    return stages()
