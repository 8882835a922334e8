"""A subscription on the local broker with two workers that really run, each with its threads."""

import time
import zlib
from collections.abc import Callable, Mapping
from itertools import count

from streamapp import registry
from streamapp.conf import configuration
from streamapp.engine.worker import Worker
from streamapp.models import Checkpoint
from streamapp.services.from_handler import rewind_from_handler
from streamapp.store import Store
from tests.browser import handlers

NAME = "ledger.spend"
SETTINGS = {
    "BROKERS": {"local": {"BACKEND": "streamapp.brokers.local.LocalBroker"}},
    "SUBSCRIPTIONS": {NAME: {"HANDLER": "tests.browser.handlers.spend", "START_AT": "earliest"}},
    "HEARTBEAT_INTERVAL": 0.3,
    "HEARTBEAT_TTL": 10.0,
    "SAVE_INTERVAL": 0.1,
}
SHARDS = ("0", "1")
RECORDS = 12
EVIL = b'{"id": 1, "note": "<img src=x onerror=alert(1)><script>alert(2)</script>"}'


def until(condition: Callable[[], object], what: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"This never came true: {what()}"
        time.sleep(0.02)


class Stage:
    """Twelve records on each of two shards, read by two workers."""

    def __init__(self) -> None:
        self.broker = registry.broker("local")
        self.workers: list[Worker] = []

    def fill(self) -> None:
        self.broker.reader(registry.mount(NAME).subscribing()).close()
        for shard in SHARDS:
            for _ in range(RECORDS):
                self.broker.publish("orders", EVIL, key=_key(int(shard)))

    def start(self) -> None:
        """Start two workers and wait until they have handled and saved everything."""
        handlers.given.clear()
        for _ in range(2):
            mount, store = registry.mount(NAME), Store("default")
            worker = Worker([mount], {"local": self.broker}, store, configuration(), rewind_from_handler)
            worker.start()
            self.workers.append(worker)
        self.await_given({shard: list(range(RECORDS)) for shard in SHARDS})
        self.await_stored(dict.fromkeys(SHARDS, RECORDS))

    def forget(self) -> None:
        handlers.given.clear()

    def await_given(self, expected: Mapping[str, list[int]]) -> None:
        """Wait until the handlers were given these records, and see that it was nothing else."""
        until(lambda: _given() == expected, lambda: f"given {expected}, not {_given()}")

    def await_stored(self, expected: Mapping[str, int]) -> None:
        until(lambda: self.stored() == expected, lambda: f"stored {expected}, not {self.stored()}")

    def stored(self) -> dict[str, int]:
        return dict(Checkpoint.objects.values_list("shard", "position"))

    def close(self) -> None:
        for worker in self.workers:
            worker.stop()
        for worker in self.workers:
            assert worker.join(20)
            for thread in worker.threads:
                thread.join(20)
            assert worker.failure is None


def _given() -> dict[str, list[int]]:
    return {shard: list(positions) for shard, positions in handlers.given.items()}


def _key(partition: int) -> bytes:
    keys = (str(number).encode() for number in count())
    return next(key for key in keys if zlib.crc32(key) % len(SHARDS) == partition)
