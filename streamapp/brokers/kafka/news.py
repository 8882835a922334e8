"""What happened to a reader since its last poll: noted in callbacks, told by the next poll."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from confluent_kafka import KafkaError

from streamapp.brokers.kafka.failures import is_fatal
from streamapp.brokers.kafka.reports import Reports
from streamapp.brokers.reading import Event, Missing
from streamapp.exceptions import ReaderFailed
from streamapp.observability.logs import Fields

logger = logging.getLogger(__name__)


class News:
    """Events in order, and what broke the client. Noting never raises and never waits."""

    def __init__(self, subscription: str, reports: Reports) -> None:
        """Take the subscription's name for messages, and who is told of passing errors."""
        self._subscription = subscription
        self._reports = reports
        self._events: list[Event] = []
        self._missing: set[str] = set()
        self._failure: str | None = None

    def __bool__(self) -> bool:
        """Tell whether there is something to tell."""
        return bool(self._events or self._failure)

    def note(self, event: Event) -> None:
        """Keep an event for the next poll."""
        self._events.append(event)

    def missing(self, topic: str) -> None:
        """Keep that a topic isn't there, if that wasn't said since it was last found."""
        if topic not in self._missing:
            self._missing.add(topic)
            self.note(Missing(topic))

    def found(self, topics: Iterable[str]) -> None:
        """Keep that topics are there."""
        self._missing.difference_update(topics)

    def error(self, error: KafkaError) -> None:
        """Keep an error that breaks the client; any other is logged."""
        if is_fatal(error):
            self._failure = error.str()
        self._reports.error(error)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Keep an exception of a callback: out of the client's call it would cost the batch being fetched."""
        try:
            yield
        except Exception as error:
            logger.exception("Kafka callback failed. %s", Fields(subscription=self._subscription))
            self._failure = str(error)

    def raise_failure(self) -> None:
        """Raise ReaderFailed if the client is broken."""
        if self._failure:
            raise ReaderFailed(
                f"The Kafka client of {self._subscription} failed: {self._failure}. Make a new reader."
            )

    def take(self) -> list[Event]:
        """Return the events and forget them."""
        events, self._events = self._events, []
        return events
