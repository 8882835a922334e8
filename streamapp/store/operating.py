"""What operators order: rows written in one transaction with their audit entry."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.db.models import F

from streamapp.models import Checkpoint, HeldRecord, Lease, Pause, SkippedRecord, SkipResult, Subscription
from streamapp.models.worker import Worker, WorkerState
from streamapp.store.audit import Asker
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction
from streamapp.store.letter_counts import LetterCountStore
from streamapp.store.records import storable

OPERATING_SECONDS = 30


class OperatorStore:
    """Carries out orders, inside `one_at_a_time` and after what they depend on was checked there."""

    def __init__(self, using: str, asker: Asker) -> None:
        self._using = using
        self.asker = asker
        self.letter_counts = LetterCountStore(using)
        self._checkpoints = Checkpoint.objects.using(using)
        self._pauses = Pause.objects.using(using)
        self._workers = Worker.objects.using(using)

    @contextmanager
    def one_at_a_time(
        self,
        *,
        subscription: int | None = None,
        worker: UUID | None = None,
        checkpoints: Collection[int] = (),
    ) -> Iterator[None]:
        """Keep other orders for the same subscription or worker out, and lock the rows of checkpoints.

        The first statement is a write, because SQLite takes its lock with it: what is read after it
        stays true. The rows of checkpoints are locked in the order in which saves lock them.
        """
        with short_transaction(self._using, stalled=OPERATING_SECONDS):
            if subscription is not None:
                Subscription.objects.using(self._using).filter(pk=subscription).update(broker=F("broker"))
            if worker is not None:
                self._workers.filter(pk=worker).update(host=F("host"))
            locked = self._checkpoints.filter(pk__in=checkpoints).order_by("pk").select_for_update()
            list(locked.values_list("pk", flat=True))
            yield

    def pause(self, subscription: int, checkpoints: Sequence[int | None]) -> None:
        """Pause shards; None is the whole subscription."""
        self._pauses.bulk_create(
            Pause(
                subscription_id=subscription,
                checkpoint_id=checkpoint,
                paused_by=self.asker.name,
                reason=storable(self.asker.reason),
                paused_at=ClockNow(),
            )
            for checkpoint in checkpoints
        )

    def resume(self, pauses: Collection[int]) -> None:
        """End pauses."""
        self._pauses.filter(pk__in=pauses).delete()

    def skip(self, checkpoint: int, position: int) -> None:
        """Order one record to be settled by whoever holds its shard, or takes it next.

        A rewind that was reviewed before would bring it again: it must be reviewed anew.
        """
        self._checkpoints.filter(pk=checkpoint).update(revision=F("revision") + 1)
        SkippedRecord(
            checkpoint_id=checkpoint,
            position=position,
            asked_by=self.asker.name,
            reason=storable(self.asker.reason),
            asked_at=ClockNow(),
        ).save(using=self._using, force_insert=True)

    def redeliver(self, checkpoints: Collection[int]) -> None:
        """Let owners read anew from what is stored: what was delivered under the old epochs settles nothing.

        Positions, and what is stored as settled behind them, stay.
        """
        self._checkpoints.filter(pk__in=checkpoints).update(epoch=F("epoch") + 1)
        HeldRecord.objects.using(self._using).filter(checkpoint__in=checkpoints).delete()

    def release(self, checkpoints: Collection[int]) -> None:
        """Take leases from their owners, who are fenced; whoever looks first takes them."""
        self._checkpoints.filter(pk__in=checkpoints).update(epoch=F("epoch") + 1)
        Lease.objects.using(self._using).filter(checkpoint__in=checkpoints).update(worker=None)

    def drain(self, worker: UUID) -> None:
        """Tell a worker to hand everything over."""
        alive = self._workers.filter(pk=worker, state=WorkerState.ALIVE, drained_at=None)
        alive.update(
            drained_at=ClockNow(), drained_by=self.asker.name, drain_reason=storable(self.asker.reason)
        )

    def undrain(self, worker: UUID) -> None:
        """Let a worker take shards again."""
        self._workers.filter(pk=worker).update(drained_at=None, drained_by="", drain_reason="")


def void_skips(using: str, checkpoints: Collection[int]) -> None:
    """End the orders to skip what lies behind the positions just written: a rewind brings it again."""
    behind = SkippedRecord.objects.using(using).filter(
        checkpoint__in=checkpoints, ended_at=None, position__gte=F("checkpoint__position")
    )
    again = list(behind.values_list("pk", flat=True))
    rows = SkippedRecord.objects.using(using).filter(pk__in=again)
    rows.update(ended_at=ClockNow(), result=SkipResult.REWOUND)
