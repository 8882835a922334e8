"""A stage with a consumer in this process and Celery workers as processes of their own, on Redis."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import connection
from django.test import override_settings

from streamapp import registry
from streamapp.testing import Service
from tests.celery import project
from tests.processes.conftest import ROOT, await_true

NAME = "orders"
START_SECONDS = 90.0
"""A worker imports the whole project first, on a machine that may be busy."""


class CeleryStage:
    """One subscription whose records become tasks, and the log of its handler's calls."""

    def __init__(
        self,
        directory: Path,
        app: str = "tests.celery.project.app",
        workers: str = "tests.celery.project",
        **entry: Any,
    ) -> None:
        """Set it; `app` is what the consumer gives its tasks to, `workers` the module of the workers' app."""
        self.log = directory / "calls.jsonl"
        self.log.touch()
        self.output = directory / "output.log"
        standard = {"HANDLER": "tests.processes.handlers.obey", "SOURCE": {"topic": "orders"}}
        self.streamapp = {
            "BROKERS": {"local": {"BACKEND": "streamapp.brokers.local.LocalBroker"}},
            "SUBSCRIPTIONS": {NAME: {**standard, "START_AT": "earliest", "EXECUTE": "celery", **entry}},
            "CELERY_APP": app,
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        self.database: dict[str, Any] = {}
        """What is different about the database of the processes, such as the port of a proxy."""
        self.environment: dict[str, str] = {}
        self._workers = workers

    def consume(self, *orders: dict[str, Any], **options: Any) -> Service:
        """Publish records and hand them over, as `runconsumers` does."""
        service = Service(NAME)
        with service:
            for order in orders:
                service.publish("orders", order, **options)
            service.run()
        return service

    def work(self, *arguments: str, visible_after: float = 3600.0) -> subprocess.Popen[bytes]:
        """Start a Celery worker of the project and wait until it takes tasks.

        Tasks of a dead one come again after `visible_after` seconds, when another one starts.
        """
        started = self.said("Connected to ")
        options = ["--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "INFO"]
        options += arguments or ("-P", "solo")
        process = self.celery("worker", *options, STREAMAPP_TEST_VISIBILITY=str(visible_after))
        await_true(lambda: self.said("Connected to ") > started, "a Celery worker", START_SECONDS)
        return process

    def celery(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        """Start any command of Celery on the workers' app."""
        command = [sys.executable, "-m", "celery", "-A", self._workers, *arguments]
        return self.start(command, **more)

    def start(self, command: list[str], **more: str) -> subprocess.Popen[bytes]:
        """Start a process with the settings of the stage."""
        database = {"NAME": connection.settings_dict["NAME"], **self.database}
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.processes.settings",
            "STREAMAPP_STAGE": json.dumps({"database": database, "streamapp": self.streamapp}, default=str),
            "STREAMAPP_STAGE_LOG": str(self.log),
            **self.environment,
            **more,
        }
        with self.output.open("ab") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        self.processes.append(process)
        return process

    def said(self, text: str) -> int:
        """Count how often the processes have logged something."""
        return self.output.read_text().count(text) if self.output.exists() else 0

    def calls(self, event: str = "call") -> list[dict[str, Any]]:
        """Return what the handler has written down."""
        whole = self.log.read_text().rpartition("\n")[0]
        return [line for line in map(json.loads, whole.splitlines()) if line["event"] == event]

    def await_handled(self, *ids: int) -> None:
        """Wait until all of these were handled."""
        await_true(lambda: set(ids) <= {call["id"] for call in self.calls("done")}, f"records {ids}", 40)

    def close(self) -> None:
        """End the workers and throw away what they left."""
        for process in self.processes:
            process.kill()
            process.wait()
        if "REDIS_URL" in os.environ:
            redis.Redis.from_url(project.URL).flushdb()
        print(self.output.read_text()[-8000:] if self.output.exists() else "No worker was started.")


class CeleryStages:
    """Sets the stage of one test."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._made: list[CeleryStage] = []
        self._overrides: list[override_settings] = []

    def __call__(self, **entry: Any) -> CeleryStage:
        stage = CeleryStage(self._directory, **entry)
        override = override_settings(STREAMAPP=stage.streamapp)
        override.enable()
        self._made.append(stage)
        self._overrides.append(override)
        return stage

    def close(self) -> None:
        for stage in self._made:
            stage.close()
        registry.close_brokers()
        for override in self._overrides:
            override.disable()


@pytest.fixture
def stage(tmp_path: Path, transactional_db: None) -> Iterator[CeleryStages]:
    """Return what sets the stage, once a test."""
    stages = CeleryStages(tmp_path)
    yield stages
    stages.close()
