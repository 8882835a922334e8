"""The rows: subscriptions, checkpoints and leases, workers, what was set aside, and rewinds."""

from streamapp.models.checkpoint import Checkpoint, Lease, Subscription
from streamapp.models.held import HeldRecord, Quarantined
from streamapp.models.lag import Lag
from streamapp.models.local import LocalPartition, LocalRecord, LocalStream
from streamapp.models.rewind import Rewind, RewoundShard
from streamapp.models.worker import Worker

__all__ = [
    "Checkpoint",
    "HeldRecord",
    "Lag",
    "Lease",
    "LocalPartition",
    "LocalRecord",
    "LocalStream",
    "Quarantined",
    "Rewind",
    "RewoundShard",
    "Subscription",
    "Worker",
]
