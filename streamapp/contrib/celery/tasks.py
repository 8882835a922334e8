"""The tasks, which Celery finds by `autodiscover_tasks()`."""

from typing import Any

from celery import shared_task

from streamapp.contrib.celery.delivering import Delivering
from streamapp.contrib.celery.payloads import Payload, record_of
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
