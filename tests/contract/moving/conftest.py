"""Every test here runs on the local broker, on Apache Kafka and on Kinesis, with the database of the run.

What a log can't do skips the test, with the reason: see kinesis_log.py.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command

from streamapp.brokers.base import Source
from tests.contract.moving.kafka_log import KafkaLog
from tests.contract.moving.kinesis_log import KinesisLog
from tests.contract.moving.local_log import LocalLog
from tests.contract.moving.logs import Log
from tests.contract.moving.stage import Stage


class Logs:
    """One log of each kind that is asked for."""

    KINDS = {"local": LocalLog, "kafka": KafkaLog, "kinesis": KinesisLog}

    def __init__(self) -> None:
        self.made: dict[str, Log] = {}

    def fresh(self, kind: str) -> Log:
        """Return the log, at the present time."""
        if kind not in self.made:
            self.made[kind] = self.KINDS[kind]()
        self.made[kind].now = datetime.now(UTC).replace(microsecond=0)
        return self.made[kind]

    def close(self) -> None:
        for log in self.made.values():
            log.close()


@pytest.fixture(scope="package")
def db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Every test has names of its own, so the tables are emptied only once: that takes longer than a test."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(scope="package")
def logs() -> Iterator[Logs]:
    """Brokers are made once, because their clients take longer to start than a test."""
    logs = Logs()
    yield logs
    logs.close()


@pytest.fixture(
    params=["local", *(pytest.param(name, marks=pytest.mark.live(name)) for name in ("kafka", "kinesis"))]
)
def log(request: pytest.FixtureRequest, logs: Logs, db: None) -> Log:
    return logs.fresh(request.param)


@pytest.fixture
def kafka(logs: Logs, db: None) -> Log:
    return logs.fresh("kafka")


@pytest.fixture
def stages(log: Log) -> Iterator[Callable[[Source | str], Stage]]:
    """Make stages that are cleared after the test."""
    made: list[Stage] = []

    def stage(source: Source | str) -> Stage:
        made.append(Stage(log, source))
        return made[-1]

    yield stage
    for each in made:
        each.close()


@pytest.fixture
def stage(log: Log, stages: Callable[[str], Stage]) -> Stage:
    """A subscription to a topic with two partitions of ten records each."""
    return stages(log.topic(partitions=2, filled=10))
