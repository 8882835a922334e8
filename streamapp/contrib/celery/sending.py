"""Handing a record over to Celery: it is settled when the Celery broker has taken its task."""

from typing import Any

from kombu.exceptions import EncodeError

from streamapp.contrib.celery.payloads import payload_of
from streamapp.contrib.celery.publishing import publishing
from streamapp.exceptions import BrokerUnavailable
from streamapp.observability.logs import text_of
from streamapp.outcomes import ACK, Outcome
from streamapp.records import Record

HANDLE = "streamapp.handle"


class Sender:
    """Makes each record of one subscription a task of one Celery app; from any thread."""

    def __init__(self, app: Any, subscription: str) -> None:
        self._task = app.tasks[HANDLE]
        self._subscription = subscription

    def __call__(self, record: Record) -> Outcome:
        """Return an ack once the Celery broker has taken the task, or a hold if it can't be written.

        Blocks while the app's `task_publish_retry_policy` tries again, and at most PATIENCE_SECONDS for
        each answer. Raises BrokerUnavailable, which counts nothing against the record, for whatever
        else goes wrong: a record must not be lost because a client library has named its error in a
        new way.
        """
        arguments = {"subscription": self._subscription, "record": payload_of(record)}
        try:
            with publishing(self._task.app) as options:
                self._task.apply_async(kwargs=arguments, **options)
        except EncodeError as error:
            return Outcome.hold(f"can't be made a task: {text_of(error)}")
        except Exception as error:
            raise BrokerUnavailable(
                f"The Celery broker didn't take a task: {text_of(error, repr)}"
            ) from error
        return ACK
