"""Draining a worker, and the undo of it."""

from contextlib import AbstractContextManager
from typing import Any

from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.models import Lease, Worker
from streamapp.services.actions.base import Action, Review
from streamapp.services.wording import amount, moment
from streamapp.services.workers import is_live, live_workers
from streamapp.store.operating import OperatorStore


class Draining(Action):
    """What both have in common: the worker."""

    permission = "streamapp.drain_worker"

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    @classmethod
    def named(cls, name: str) -> Any:
        """Find a worker by the beginning of its identity, or by `host:process`; ActionRefused if unclear."""
        found = [row for row in _workers().order_by("started_at") if _is_meant(row, name)]
        live = [row for row in found if is_live(row, row.now)] or found
        if not live:
            raise ActionRefused(f"No worker is called {name}. The admin's list of workers names them.")
        if len(live) > 1:
            raise ActionRefused(
                f"{name} is ambiguous: {', '.join(map(str, live))}. Write more of the identity."
            )
        return cls(live[0])

    def _locked(self, store: OperatorStore) -> AbstractContextManager[None]:
        return store.one_at_a_time(worker=self.worker.pk)

    def _now(self) -> Any:
        row = _workers().filter(pk=self.worker.pk).first()
        if row is None or not is_live(row, row.now):
            raise ActionRefused(f"{self.worker} doesn't live any more: it holds nothing for long.")
        return row

    def _review(self, old: str, new: str, *effects: str) -> Review:
        names = ", ".join(self.worker.subscriptions)
        return Review(self.name, names, f"worker {self.worker}", effects, old, new)


class Drain(Draining):
    """The worker lets its calls end, saves, gives its shards away, and takes none until that is undone."""

    name = "drain"

    def review(self) -> Review:
        """Refuse a worker that is drained or dead; say which subscriptions nobody else runs."""
        row = self._now()
        if row.drained_at is not None:
            raise ActionRefused(f"{row} is drained already, {told(row)}.")
        shards = Lease.objects.using(configuration().DATABASE).filter(worker=row).count()
        effect = (
            f"{row} lets its calls end, saves, and gives {amount(shards, 'shard')} to other workers. It "
            "stays up and takes nothing until that is undone."
        )
        return self._review(amount(shards, "shard"), "drained", effect, *self._alone(row))

    def _alone(self, row: Worker) -> list[str]:
        others = [
            each for each in live_workers(row.subscriptions) if each.pk != row.pk and not each.drained_at
        ]
        run = {name for each in others for name in each.subscriptions}
        return [
            f"No other live worker runs {name}: nobody reads its shards meanwhile."
            for name in row.subscriptions
            if name not in run
        ]

    def _write(self, store: OperatorStore) -> None:
        store.drain(self.worker.pk)


class Undrain(Draining):
    """The worker takes shards again."""

    name = "undrain"

    def review(self) -> Review:
        """Refuse a worker that isn't drained."""
        row = self._now()
        if row.drained_at is None:
            raise ActionRefused(f"{row} isn't drained.")
        return self._review(told(row), "alive", f"{row} takes its share of the shards again.")

    def _write(self, store: OperatorStore) -> None:
        store.undrain(self.worker.pk)


def told(worker: Worker) -> str:
    """Say who drained a worker, since when and why."""
    assert worker.drained_at is not None, "only of a drained worker"
    why = f" because: {worker.drain_reason}" if worker.drain_reason else ""
    return f"drained by {worker.drained_by} since {moment(worker.drained_at)}{why}"


def _workers() -> Any:
    return Worker.objects.using(configuration().DATABASE).annotate(now=Now())


def _is_meant(row: Worker, name: str) -> bool:
    begins = name != "" and str(row.pk).startswith(name)
    return begins or name in (f"{row.host}:{row.process_id}", str(row))
