"""Which workers live, as an operator's tool sees it: for display and refusals, never for taking leases."""

from collections.abc import Collection
from datetime import datetime

from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Checkpoint, Worker
from streamapp.models.worker import WorkerState
from streamapp.services.wording import amount


def is_live(worker: Worker | None, now: datetime) -> bool:
    """Tell whether a worker is alive and its heartbeat not older than its time to live.

    `now` is the moment by the database's clock, which wrote the heartbeat.
    """
    if worker is None or worker.state != WorkerState.ALIVE:
        return False
    return now - worker.heartbeat_at <= worker.ttl


def worker_state(worker: Worker | None, now: datetime) -> str:
    """Return the state as stored, `nobody`, `silent` for one past its time to live, or `drained`."""
    if worker is None:
        return "nobody"
    if worker.state != WorkerState.ALIVE:
        return worker.state
    if not is_live(worker, now):
        return "silent"
    return "drained" if worker.drained_at is not None else worker.state


def owner(checkpoint: Checkpoint) -> Worker | None:
    """Return the worker that holds a checkpoint's lease; select `lease__worker` with the row."""
    lease = getattr(checkpoint, "lease", None)
    return lease.worker if lease else None


def live_workers(subscriptions: Collection[str]) -> list[Worker]:
    """Return the live workers that run any of these subscriptions."""
    alive = Worker.objects.using(configuration().DATABASE).filter(state=WorkerState.ALIVE).annotate(now=Now())
    running = (worker for worker in alive if set(worker.subscriptions) & set(subscriptions))
    return [worker for worker in running if is_live(worker, worker.now)]


def in_use(subscription: str) -> str:
    """Return a sentence that names the live workers of a subscription, or nothing if there are none."""
    if not (workers := live_workers([subscription])):
        return ""
    runs = "still runs" if len(workers) == 1 else "still run"
    return (
        f"{amount(len(workers), 'live worker')} {runs} {subscription}: {', '.join(map(str, workers))}. "
        "Stop them first; a worker that crashed counts as live until its heartbeat is too old."
    )
