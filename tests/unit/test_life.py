"""What ends a worker's life, and what a thread that dies does to it."""

import pytest

from streamapp.conf import Configuration
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.worker import Worker
from streamapp.models import Worker as WorkerRow
from streamapp.store import Store

pytestmark = pytest.mark.django_db(transaction=True)
TTL = 12.0


def test_the_time_that_a_renewal_takes_is_not_added_to_the_life(monkeypatch):
    """What happened on the way to the database is not known: the row may have been written at its start."""
    clock = SlowClock()
    heartbeat = Heartbeat(["orders"], TTL, Store("default"), clock)
    heartbeat.beat()
    monkeypatch.setattr(heartbeat._store.workers, "renew", lambda *_: clock.passes(5.0))
    heartbeat.beat()
    assert clock.now == 1005.0
    assert heartbeat.life.until == 1000.0 + TTL


class SlowClock:
    """Stands still until a call takes its time."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> bool:
        self.now += seconds
        return True


def test_a_worker_of_which_a_thread_has_died_does_not_look_alive():
    """Others should take its shards, although its heartbeat could go on."""
    configuration = Configuration(HEARTBEAT_INTERVAL=0.01)
    worker = Worker([], {}, Store("default"), configuration, rewind=lambda *_: None)
    worker.failure = RuntimeError("a lane has died")
    worker.start()
    worker.join(1.0)
    assert not WorkerRow.objects.exists()
