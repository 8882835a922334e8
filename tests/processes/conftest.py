"""A stage: one topic, one subscription, and consumer processes that come, go and are killed."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings

from streamapp import registry
from streamapp.models import Checkpoint

ROOT = Path(__file__).parents[2]
FAST = {"HEARTBEAT_INTERVAL": 0.3, "HEARTBEAT_TTL": 2.0, "SAVE_INTERVAL": 0.2, "STOP_TIMEOUT": 10.0}


def await_true(condition: Callable[[], Any], what: str, seconds: float = 30.0) -> Any:
    """Return what the condition returns once it is true; fails after so many seconds, saying for what."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if result := condition():
            return result
        time.sleep(0.02)
    raise AssertionError(f"Waited {seconds} s for {what}.")


class Stage:
    """One test's topic, settings, processes and log of calls."""

    def __init__(self, directory: Path, broker: dict[str, Any], partitions: int, **mount: Any) -> None:
        self.topic = f"stage-{uuid.uuid4().hex[:10]}"
        self.log = directory / "calls.jsonl"
        self.log.touch()
        self.output = directory / "output.log"
        self.partitions = partitions
        more = mount.pop("settings", {})
        entry = {"HANDLER": "tests.processes.handlers.obey", "BROKER": "stage", "START_AT": "earliest"}
        source = {"SOURCE": {"topic": self.topic}}
        self.streamapp = {
            "BROKERS": {"stage": broker},
            "SUBSCRIPTIONS": {self.topic: {**entry, **source, **mount}},
            **FAST,
            **more,
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `runconsumers` as a process of its own."""
        return self.command("runconsumers", *arguments)

    def command(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start any management command on the stage."""
        stage = {"database": connection.settings_dict["NAME"], "streamapp": self.streamapp}
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.processes.settings",
            "STREAMAPP_STAGE": json.dumps(stage, default=str),
            "STREAMAPP_STAGE_LOG": str(self.log),
        }
        with self.output.open("ab") as output:
            options = {"stdout": output, "stderr": output, **options}
            process = subprocess.Popen(
                [sys.executable, "-m", "django", *arguments], cwd=ROOT, env=environment, **options
            )
        self.processes.append(process)
        return process

    def publish(self, *records: dict[str, Any], partition_key: str | None = None) -> None:
        """Publish records, spread by their id unless a key is given."""
        broker = registry.broker("stage")
        for record in records:
            key = (partition_key or str(record["id"])).encode()
            broker.publish(self.topic, json.dumps(record).encode(), key=key)

    def calls(self, event: str = "call") -> list[dict[str, Any]]:
        """Return what handlers have written down so far."""
        lines = self.log.read_text().splitlines()
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def handled(self, event: str = "done") -> list[int]:
        """Return the ids in the order in which they were handled."""
        return [call["id"] for call in self.calls(event)]

    def await_handled(self, *ids: int, seconds: float = 30.0) -> None:
        """Wait until all of these were handled at least once."""
        await_true(
            lambda: set(ids) <= set(self.handled()), f"records {set(ids) - set(self.handled())}", seconds
        )

    def positions(self) -> dict[str, int]:
        """Return the stored positions by shard."""
        return dict(Checkpoint.objects.filter(stream=self.topic).values_list("shard", "position"))

    def row(self, shard: int = 0) -> Checkpoint:
        """Return one checkpoint."""
        return Checkpoint.objects.select_related("lease").get(stream=self.topic, shard=str(shard))

    def close(self) -> None:
        """End what still runs."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


@pytest.fixture
def stage(
    request: pytest.FixtureRequest, tmp_path: Path, transactional_db: None
) -> Iterator[Callable[..., Stage]]:
    """Return a function that sets a stage on Apache Kafka."""
    from confluent_kafka.admin import AdminClient, NewTopic

    servers = os.environ["KAFKA_BOOTSTRAP_SERVERS"]
    admin = AdminClient({"bootstrap.servers": servers})
    stages: list[Stage] = []
    overrides: list[override_settings] = []

    def make(partitions: int = 1, options: dict[str, Any] | None = None, **mount: Any) -> Stage:
        client = {"bootstrap.servers": servers, "session.timeout.ms": 3000, "heartbeat.interval.ms": 300}
        client |= options or {}
        if client.get("group.protocol") == "consumer":
            del client["session.timeout.ms"], client["heartbeat.interval.ms"]
        broker = {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client}
        made = Stage(tmp_path, broker, partitions, **mount)
        for future in admin.create_topics([NewTopic(made.topic, partitions, 1)]).values():
            future.result()
        overrides.append(override_settings(STREAMAPP=made.streamapp))
        overrides[-1].enable()
        stages.append(made)
        return made

    yield make
    for made in stages:
        made.close()
    registry.close_brokers()
    for override in overrides:
        override.disable()
    for future in admin.delete_topics([made.topic for made in stages]).values():
        future.result()
