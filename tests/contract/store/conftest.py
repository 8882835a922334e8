"""One subscription with rows, on the database of the run."""

from dataclasses import dataclass

import pytest

from streamapp.models import Checkpoint, Lease, Subscription, Worker
from streamapp.records import Shard
from streamapp.store import Store
from streamapp.store.clock import ClockNow

TTL = 12.0
SHARDS = (Shard("orders", "0", "first"), Shard("orders", "1", "first"))


@dataclass
class Rows:
    """The rows of one subscription, by short names."""

    store: Store
    subscription: int
    ids: list[int]

    def worker(self):
        return self.store.workers.register(["orders"], TTL)

    def row(self, index=0) -> Checkpoint:
        return Checkpoint.objects.get(id=self.ids[index])

    def owner(self, index=0):
        return Lease.objects.get(checkpoint=self.ids[index]).worker_id

    def silence(self, worker) -> None:
        """Let a worker's last heartbeat be older than its TTL."""
        Worker.objects.filter(id=worker).update(heartbeat_at="2000-01-01T00:00:00Z")


@pytest.fixture
def rows(db) -> Rows:
    store = Store("default")
    subscription = Subscription.objects.create(name="orders", started_at=ClockNow()).pk
    store.checkpoints.create(subscription, dict.fromkeys(SHARDS, 100))
    known = store.checkpoints.known(subscription)
    return Rows(store, subscription, [known[shard] for shard in SHARDS])
