"""How a task comes again, if need be for ever: Celery itself gives a task up in more ways than one."""

import logging
import time
from dataclasses import dataclass
from typing import Any, NoReturn

from celery.exceptions import Reject, Retry

from streamapp.contrib.celery.payloads import Payload
from streamapp.contrib.celery.publishing import publishing
from streamapp.observability.logs import Fields, text_of

logger = logging.getLogger("streamapp.celery")
OUTAGE_SECONDS = 10.0
FOR_EVER = 1_000_000_000
"""Celery counts repetitions after an outage too, but they are no attempts."""


@dataclass(frozen=True, slots=True)
class Again:
    """Sends one task again. `task` is bound: it knows its request, and how to retry."""

    task: Any
    subscription: str

    def later(self, payload: Payload, seconds: float) -> NoReturn:
        """Raise Retry once the Celery broker has taken the record for another try in so many seconds.

        If it doesn't take it, this blocks for OUTAGE_SECONDS and raises what leaves the task in its queue.
        """
        arguments = {"subscription": self.subscription, "record": payload}
        try:
            raise self._sent(arguments, seconds)
        except Reject as error:
            # Celery would discard a task whose repetition can't be sent.
            fields = Fields(subscription=self.subscription, error=text_of(error.reason, repr))
            logger.warning("Celery broker doesn't take a retry, the record stays in its queue. %s", fields)
            time.sleep(OUTAGE_SECONDS)
            raise Reject(error.reason, requeue=True) from error

    def _sent(self, arguments: dict[str, Any], seconds: float) -> Retry:
        with publishing(self.task.app) as options:
            sent: Retry = self.task.retry(
                args=(),
                kwargs=arguments,
                countdown=seconds,
                max_retries=FOR_EVER,
                throw=False,
                **options,
            )
        return sent
