"""A stream of kinesis-local, one subscription, and consumer processes that come, go and are killed."""

import json
import signal
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from streamapp.models import Checkpoint, Lease, Worker
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from tests.contract.broker.benches import kinesis_options
from tests.live.kinesis_service import Service
from tests.processes.conftest import Stage, await_true

KEYS = 7


class KinesisStage(Stage):
    """As on Kafka, on a stream of a given number of shards."""

    def __init__(self, directory: Path, service: Service, shards: int, interval: float = 0.3) -> None:
        backend = "streamapp.brokers.kinesis.KinesisBroker"
        options = kinesis_options("KINESIS_ENDPOINT_URL")
        super().__init__(directory, {"BACKEND": backend, "OPTIONS": options}, shards)
        self.service = service
        self.source = service.stream(shards)
        entry = self.streamapp["SUBSCRIPTIONS"][self.topic]
        entry["HANDLER"] = "tests.processes.kinesis_handlers.write_down"
        entry["SOURCE"] = {"stream": self.source.stream, "poll_interval": 0.2}
        self.streamapp |= {"HEARTBEAT_INTERVAL": interval, "HEARTBEAT_TTL": max(2.0, 4 * interval)}
        self.published = 0

    def publish_numbers(self, count: int, **fields: Any) -> None:
        """Publish so many records, numbered on, over a few keys."""
        numbers = range(self.published, self.published + count)
        pairs = [(str(n % KEYS).encode(), json.dumps({"id": n, **fields}).encode()) for n in numbers]
        self.service.broker.publish_many(self.source.stream, pairs)
        self.published += count

    def resize(self, count: int) -> None:
        self.service.client.update_shard_count(
            StreamName=self.source.stream, TargetShardCount=count, ScalingType="UNIFORM_SCALING"
        )
        self.service.wait_until_active(self.source.stream)

    def await_all(self, seconds: float = 90.0) -> None:
        self.await_handled(*range(self.published), seconds=seconds)

    def repeated(self) -> list[int]:
        return [number for number, count in Counter(self.handled()).items() if count > 1]

    def is_in_order(self) -> bool:
        """Tell whether the first deliveries of each key's records came in the order of their numbers."""
        numbers: dict[str, dict[int, None]] = defaultdict(dict)
        for call in self.calls("done"):
            numbers[call["key"]].setdefault(call["id"])
        return all(list(first) == sorted(first) for first in numbers.values())

    def has_ended(self, *shards: Shard) -> bool:
        rows = Checkpoint.objects.filter(stream=self.source.stream, position=SHARD_END)
        return set(rows.values_list("shard", flat=True)) >= {shard.id for shard in shards}

    def leases(self) -> dict[int | None, list[Lease]]:
        """The leases of shards that are read, by process id; those that nobody has under None."""
        found: dict[int | None, list[Lease]] = defaultdict(list)
        open_rows = Lease.objects.filter(checkpoint__stream=self.source.stream)
        for lease in open_rows.exclude(checkpoint__position=SHARD_END).select_related("worker"):
            found[lease.worker and lease.worker.process_id].append(lease)
        return found

    def shares(self) -> list[int]:
        return sorted(len(leases) for process, leases in self.leases().items() if process)

    def await_shares(self, *shares: int) -> None:
        await_true(lambda: self.shares() == list(shares), f"shares {shares}", 60)

    def worker_of(self, process: "subprocess.Popen[bytes]") -> Worker:
        return Worker.objects.get(process_id=process.pid)

    def end(self, process: "subprocess.Popen[bytes]") -> int:
        """Stop a process cleanly and return its code."""
        process.send_signal(signal.SIGTERM)
        return process.wait(30)
