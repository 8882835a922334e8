"""The rows: subscriptions, checkpoints and leases, workers and their alerts, what was set aside."""

from streamapp.models.alert import Alert, AlertKind
from streamapp.models.audit import AuditEntry
from streamapp.models.checkpoint import Checkpoint, Lease, Subscription
from streamapp.models.control import Pause, SkippedRecord, SkipResult
from streamapp.models.dry_run import DryOutcome, DryRun, Where
from streamapp.models.failed import DeadLetter, DelayedRecord
from streamapp.models.held import HeldRecord, Quarantined
from streamapp.models.history import History
from streamapp.models.lag import Lag
from streamapp.models.letter_count import CountedLetter, LetterCount
from streamapp.models.local import LocalPartition, LocalRecord, LocalStream
from streamapp.models.rewind import Rewind, RewoundShard
from streamapp.models.skip import Skip
from streamapp.models.trend import Trend
from streamapp.models.worker import Worker

__all__ = [
    "Alert",
    "AlertKind",
    "AuditEntry",
    "Checkpoint",
    "CountedLetter",
    "DeadLetter",
    "DelayedRecord",
    "DryOutcome",
    "DryRun",
    "HeldRecord",
    "History",
    "Lag",
    "Lease",
    "LetterCount",
    "LocalPartition",
    "LocalRecord",
    "LocalStream",
    "Pause",
    "Quarantined",
    "Rewind",
    "RewoundShard",
    "Skip",
    "SkipResult",
    "SkippedRecord",
    "Subscription",
    "Trend",
    "Where",
    "Worker",
]
