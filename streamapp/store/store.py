"""The tables as the engine sees them."""

from collections.abc import Mapping

from django.db import connections

from streamapp.records import Shard
from streamapp.store.alerts import AlertStore
from streamapp.store.checkpoints import NONE, CheckpointStore, Lineage
from streamapp.store.connections import short_transaction
from streamapp.store.controls import ControlStore
from streamapp.store.dry_runs import DryRunStore
from streamapp.store.failed import DeadLetterStore, DelayedStore
from streamapp.store.history import HistoryStore
from streamapp.store.lags import LagStore
from streamapp.store.leases import LeaseStore
from streamapp.store.letter_counts import LetterCountStore
from streamapp.store.lineage import LineageStore
from streamapp.store.notices import NoticeStore
from streamapp.store.pruning import PruneStore
from streamapp.store.records import RecordStore
from streamapp.store.skips import SkipStore
from streamapp.store.subscriptions import SubscriptionStore
from streamapp.store.workers import WorkerStore

STARTING_SECONDS = 30


class Store:
    """All rows of one database alias, by concern.

    Each method is one short transaction of the calling thread's own connection. All raise
    `django.db.Error` when the database fails; a write whose reply was lost may have happened, so
    callers read back.
    """

    def __init__(self, using: str) -> None:
        self.using = using
        self.subscriptions = SubscriptionStore(using)
        self.checkpoints = CheckpointStore(using)
        self.leases = LeaseStore(using)
        self.lineage = LineageStore(using)
        self.workers = WorkerStore(using)
        self.records = RecordStore(using)
        self.delayed = DelayedStore(using)
        self.dead_letters = DeadLetterStore(using)
        self.dry_runs = DryRunStore(using)
        self.letter_counts = LetterCountStore(using)
        self.lags = LagStore(using)
        self.history = HistoryStore(using)
        self.alerts = AlertStore(using)
        self.skips = SkipStore(using)
        self.notices = NoticeStore(using)
        self.controls = ControlStore(using)
        self.pruning = PruneStore(using)

    def begin(self, subscription: int, positions: Mapping[Shard, int], lineage: Lineage = NONE) -> None:
        """Give a subscription its first rows and note that it has started, both or neither.

        A shard without a row is new from then on, so no crash may come in between. Thousands of rows may
        take their time: nobody waits for them but workers that start the same subscription.
        """
        with short_transaction(self.using, stalled=STARTING_SECONDS):
            self.checkpoints.create(subscription, positions, lineage)
            self.subscriptions.start(subscription)

    def probe(self) -> None:
        """Ask the database for a sign of life; raises django.db.Error if there is none."""
        with connections[self.using].cursor() as cursor:
            cursor.execute("SELECT 1")
