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
from confluent_kafka.admin import AdminClient, NewTopic
from django.db import connection
from django.test import override_settings

from streamapp import registry
from streamapp.models import Checkpoint

ROOT = Path(__file__).parents[2]
SHORT_SESSION = {"session.timeout.ms": 3000, "heartbeat.interval.ms": 300}
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
        self.database: dict[str, Any] = {}
        """What is different about the database of the processes, such as the port of a proxy."""
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `runconsumers` as a process of its own."""
        return self.command("runconsumers", *arguments)

    def command(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start any management command on the stage."""
        database = {"NAME": connection.settings_dict["NAME"], **self.database}
        stage = {"database": database, "streamapp": self.streamapp}
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
        whole = self.log.read_text().rpartition("\n")[0]  # the last line may be being written
        return [line for line in map(json.loads, whole.splitlines()) if line["event"] == event]

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


class Stages:
    """Sets stages on Apache Kafka, one after the other, and clears them away."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._made: list[Stage] = []
        self._topics: list[tuple[AdminClient, str]] = []
        self._override: override_settings | None = None

    def __call__(self, partitions: int = 1, options: dict[str, Any] | None = None, **mount: Any) -> Stage:
        """Set a stage on the server of the run."""
        return self.on(os.environ["KAFKA_BOOTSTRAP_SERVERS"], partitions, options, **mount)

    def on(
        self, servers: str, partitions: int = 1, options: dict[str, Any] | None = None, **mount: Any
    ) -> Stage:
        """Set a stage on a given server: a topic, and settings for this process and its children."""
        client = {"bootstrap.servers": servers, **SHORT_SESSION, **(options or {})}
        if client.get("group.protocol") == "consumer":
            client = {name: value for name, value in client.items() if name not in SHORT_SESSION}
        broker = {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client}
        made = Stage(self._directory, broker, partitions, **mount)
        admin = AdminClient({"bootstrap.servers": servers})
        for future in admin.create_topics([NewTopic(made.topic, partitions, 1)]).values():
            future.result()
        self._override = override_settings(STREAMAPP=made.streamapp)
        self._override.enable()
        self._made.append(made)
        self._topics.append((admin, made.topic))
        return made

    def close(self) -> None:
        """End all processes, forget the settings, delete the topics."""
        for made in self._made:
            made.close()
            # Shown by pytest when the test has failed.
            print(made.output.read_text()[-8000:] if made.output.exists() else "No process was started.")
        registry.close_brokers()
        if self._override:
            self._override.disable()
        for admin, topic in self._topics:
            for future in admin.delete_topics([topic]).values():
                future.result()


@pytest.fixture
def stage(tmp_path: Path, transactional_db: None) -> Iterator[Stages]:
    """Return what sets a stage, once a test."""
    stages = Stages(tmp_path)
    yield stages
    stages.close()
