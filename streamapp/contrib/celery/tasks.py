"""The tasks, which Celery finds by `autodiscover_tasks()`."""

from typing import Any

from celery import shared_task

from streamapp.contrib.celery import periodic
from streamapp.contrib.celery.delivering import Delivering
from streamapp.contrib.celery.payloads import Payload, record_of
from streamapp.contrib.celery.schedule import DUE_RETRIES, PRUNE, SAMPLE_LAGS
from streamapp.contrib.celery.sending import HANDLE


@shared_task(  # type: ignore[untyped-decorator]
    bind=True,
    name=HANDLE,
    # A process that is killed must not take the record with it.
    acks_late=True,
    reject_on_worker_lost=True,
    ignore_result=True,
    serializer="json",
    max_retries=7,
    default_retry_delay=30,
)
def handle(self: Any, subscription: str, record: Payload) -> None:
    """Call the handler of a subscription for one record; what fails comes again as a retry of this task."""
    Delivering(self, subscription, record_of(record)).run()


@shared_task(bind=True, name=DUE_RETRIES, ignore_result=True)  # type: ignore[untyped-decorator]
def due_retries(self: Any) -> dict[str, int]:
    """Make tasks of due delayed records where no worker runs; returns how many of each subscription."""
    return periodic.due_retries(self.app)


@shared_task(name=SAMPLE_LAGS, ignore_result=True)  # type: ignore[untyped-decorator]
def sample_lags() -> dict[str, int]:
    """Sample the lag where no worker does; returns how many shards of each subscription."""
    return periodic.sample_lags()


@shared_task(name=PRUNE, ignore_result=True)  # type: ignore[untyped-decorator]
def prune() -> dict[str, int]:
    """Delete what RETENTION keeps no longer; returns how many rows of each table."""
    return periodic.prune()
