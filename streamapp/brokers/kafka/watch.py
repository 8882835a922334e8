"""Noticing that a topic is not there, or was deleted and made again.

The client tells neither in every protocol. A classic group doesn't even rebalance when a topic is made
again quickly: its members go on in the new topic at the old offset.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from confluent_kafka import KafkaException
from confluent_kafka.admin._topic import TopicDescription

from streamapp.brokers.kafka.failures import MISSING
from streamapp.brokers.kafka.queries import Queries
from streamapp.brokers.kafka.reports import Reports

INTERVAL = 2.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of some topics: their ids, and which of them don't exist."""

    ids: Mapping[str, str]
    missing: frozenset[str]


class TopicWatch:
    """Asks for topics every 2 seconds without ever waiting for an answer."""

    def __init__(
        self,
        names: Sequence[str],
        queries: Queries,
        reports: Reports,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the topics to watch always, who asks, who is told of failed questions, and a clock."""
        self._names = [name for name in names if not name.startswith("^")]
        self._queries = queries
        self._reports = reports
        self._clock = clock
        self._due = clock()
        self._asked: Mapping[str, Future[TopicDescription]] = {}

    def is_due(self) -> bool:
        """Tell whether `look` has something to do; costs next to nothing."""
        return self._clock() >= self._due

    def look(self, more: Sequence[str]) -> Seen:
        """Return what the last question has brought, and ask again, also for some more topics."""
        if not all(future.done() for future in self._asked.values()):
            return Seen({}, frozenset())
        answers, names = self._asked, {*self._names, *more}
        self._due = self._clock() + INTERVAL
        self._asked = self._queries.ask(names) if names else {}
        return self._seen(answers)

    def restart(self) -> None:
        """Forget what was asked, because what it is compared with has changed."""
        self._asked, self._due = {}, self._clock()

    def _seen(self, answers: Mapping[str, Future[TopicDescription]]) -> Seen:
        ids, missing = {}, set()
        for name, future in answers.items():
            try:
                ids[name] = str(future.result().topic_id)
            except KafkaException as error:
                if error.args[0].code() in MISSING:
                    missing.add(name)
                else:
                    self._reports.error(error.args[0])
        return Seen(ids, frozenset(missing))
