"""The tasks, which Celery finds by `autodiscover_tasks()`."""

import logging
from typing import Any

from celery import shared_task
from celery.exceptions import TaskPredicate

from streamapp.contrib.celery import periodic
from streamapp.contrib.celery.again import OUTAGE_SECONDS, Again
from streamapp.contrib.celery.delivering import Delivering
from streamapp.contrib.celery.payloads import Payload, record_of
from streamapp.contrib.celery.schedule import DUE_RETRIES, PRUNE, SAMPLE_LAGS
from streamapp.contrib.celery.sending import HANDLE
from streamapp.observability.logs import Fields

logger = logging.getLogger("streamapp.celery")


@shared_task(  # type: ignore[untyped-decorator]
    bind=True,
    name=HANDLE,
    # A process that is killed must not take the record with it.
    acks_late=True,
    reject_on_worker_lost=True,
    # Nor must one that is killed by a time limit.
    acks_on_failure_or_timeout=False,
    ignore_result=True,
    serializer="json",
    max_retries=7,
    default_retry_delay=30,
)
def handle(self: Any, subscription: str, record: Payload) -> None:
    """Call the handler of a subscription for one record; what fails comes again as a retry of this task."""
    again = Again(self, subscription)
    try:
        Delivering(again, record_of(record)).run()
    except TaskPredicate:
        raise
    except Exception:
        # Whatever it is, it isn't the handler's: a release that doesn't fit, a mistake of ours.
        fields = Fields(subscription=subscription)
        logger.exception("Task failed outside of its handler, the record is delivered again. %s", fields)
        again.later(record, OUTAGE_SECONDS)


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
