"""Delayed copies in a test: their time is the database's, so they become due by a change of their rows."""

from collections.abc import Iterator, Sequence

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.engine.copy import CopyState
from streamapp.models import DelayedRecord
from streamapp.testing.worker import InProcessWorker


def unhandled(workers: Sequence[InProcessWorker]) -> list[str]:
    """Return a sentence for each copy that is due or in hand."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=Now())
    due = [f"{row.origin} is due as a copy." for row in _rows(workers).filter(free, due_at__lte=Now())]
    return [*due, *(f"{copy.claimed.record.shard} has a copy in hand." for copy in _in_hand(workers))]


def waiting(workers: Sequence[InProcessWorker]) -> list[str]:
    """Return a sentence for each copy that isn't due."""
    return [f"{row.origin} waits as a copy." for row in _rows(workers).filter(due_at__gt=Now())]


def make_due(workers: Sequence[InProcessWorker]) -> None:
    """Let all copies be due now."""
    _rows(workers).filter(due_at__gt=Now()).update(due_at=Now())


def _in_hand(workers: Sequence[InProcessWorker]) -> Iterator[CopyState]:
    """Yield the copies that wait for no retry in place."""
    for worker in workers:
        waiting = worker.journal.waiting()
        for consumer in worker.consumers:
            yield from (copy for copy in consumer.delays.in_hand() if copy not in waiting)


def _rows(workers: Sequence[InProcessWorker]) -> "QuerySet[DelayedRecord]":
    names = {consumer.mount.name for worker in workers for consumer in worker.consumers}
    return DelayedRecord.objects.using(configuration().DATABASE).filter(subscription__in=names)
