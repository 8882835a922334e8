"""What boto3 reports as errors, sorted by what has to be done about them."""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from streamapp.exceptions import BrokerUnavailable
from streamapp.observability.logs import Fields

logger = logging.getLogger(__name__)
INTERVAL = 60.0

AWS_ERRORS = (BotoCoreError, ClientError)
"""Everything that a call raises for the peer or the network."""
MISSING = "ResourceNotFoundException"
EXPIRED = "ExpiredIteratorException"
BUSY = "ResourceInUseException"
THROTTLED = frozenset({"ProvisionedThroughputExceededException", "LimitExceededException"})
WRONG = frozenset({"InvalidArgumentException", "ValidationException"})


def code_of(error: Exception) -> str:
    """Return the service's code of an error, or the class of one that the service didn't send."""
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "Unknown"))
    return type(error).__name__


@contextmanager
def answering(what: str) -> Iterator[None]:
    """Turn errors of boto3 into BrokerUnavailable."""
    try:
        yield
    except AWS_ERRORS as error:
        raise BrokerUnavailable(f"Kinesis didn't answer {what}: {error}. Ask again.") from error


class Reports:
    """Logs what a reader goes on from by itself, each kind of it once a minute. Used from any thread."""

    def __init__(self, alias: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the broker's alias for the log lines, and a clock in seconds."""
        self._alias = alias
        self._clock = clock
        self._last: dict[Hashable, float] = {}
        self._lock = threading.Lock()

    def waiting(self, shard: object, error: Exception, seconds: float) -> None:
        """Log that a shard waits so many seconds because of an error."""
        code = code_of(error)
        if self._is_due((shard, code)):
            fields = Fields(
                broker=self._alias, shard=shard, code=code, reason=error, seconds=round(seconds, 1)
            )
            logger.warning("Kinesis can't be read, the shard waits. %s", fields)

    def _is_due(self, kind: Hashable) -> bool:
        with self._lock:
            now = self._clock()
            if now - self._last.get(kind, -INTERVAL) < INTERVAL:
                return False
            self._last[kind] = now
            return True
