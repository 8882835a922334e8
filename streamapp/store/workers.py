"""Workers: one heartbeat row each, judged by the database's clock alone."""

import os
import socket
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from django.db.models import F
from django.db.models.functions import Now

from streamapp.models import Worker
from streamapp.models.worker import WorkerState
from streamapp.store.clock import ClockNow, ago

FORGET_AFTER = timedelta(days=7)


class WorkerStore:
    """Registers, renews and buries workers."""

    def __init__(self, using: str) -> None:
        self._workers = Worker.objects.using(using)

    def register(self, subscriptions: Sequence[str], ttl_seconds: float, heir_of: UUID | None = None) -> UUID:
        """Add a worker that is alive from now on, under an identity that never existed.

        A new life of the process that was `heir_of` stays drained if that one was.
        """
        worker = Worker(
            id=uuid4(),
            host=socket.gethostname(),
            process_id=os.getpid(),
            subscriptions=list(subscriptions),
            started_at=ClockNow(),
            heartbeat_at=ClockNow(),
            ttl=timedelta(seconds=ttl_seconds),
        )
        former = self._workers.filter(pk=heir_of).first() if heir_of else None
        if former:
            worker.drained_at, worker.drained_by = former.drained_at, former.drained_by
            worker.drain_reason = former.drain_reason
        self._workers.bulk_create([worker])
        return worker.id

    def renew(self, worker: UUID, ttl_seconds: float) -> bool:
        """Prolong a worker's life by its TTL; False if it is dead or was silent for longer than that."""
        alive = self._workers.filter(id=worker, state=WorkerState.ALIVE, heartbeat_at__gt=ago(ttl_seconds))
        return alive.update(heartbeat_at=ClockNow()) == 1

    def depart(self, worker: UUID) -> None:
        """Say goodbye: whoever comes may take the worker's leases at once."""
        self._workers.filter(id=worker, state=WorkerState.ALIVE).update(state=WorkerState.DEPARTED)

    def bury(self) -> int:
        """Mark every worker dead whose TTL has passed; returns how many. Only then are leases taken.

        The condition stands on the row that the worker itself renews, so exactly one of the two wins.
        """
        silent = self._workers.filter(state=WorkerState.ALIVE, heartbeat_at__lte=Now() - F("ttl"))
        return silent.update(state=WorkerState.DEAD)

    def forget(self) -> None:
        """Delete workers that died or departed a week ago; their audit stamps stay, without a name."""
        gone = self._workers.exclude(state=WorkerState.ALIVE)
        gone.filter(heartbeat_at__lt=Now() - FORGET_AFTER, leases=None).delete()

    def running(self, subscription: str) -> list[UUID]:
        """Return who is alive, runs the subscription and isn't drained, in the order of their identities."""
        alive = self._workers.filter(state=WorkerState.ALIVE, drained_at=None)
        rows = alive.values_list("id", "subscriptions")
        return sorted(worker for worker, names in rows if subscription in names)
