"""One shard being read from one position: a feed is thrown away when the shard is opened anew."""

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.clients import Clients
from streamapp.brokers.kinesis.entries import Entry, entries_of
from streamapp.brokers.kinesis.failures import AWS_ERRORS, EXPIRED, MISSING, WRONG, Reports, code_of
from streamapp.brokers.kinesis.iterators import open_iterator
from streamapp.brokers.kinesis.pacing import Paces
from streamapp.brokers.kinesis.pool import Task
from streamapp.brokers.kinesis.queries import Queries
from streamapp.brokers.kinesis.shelf import Shelf
from streamapp.brokers.reading import Behind, Event, Missing, OutOfRange
from streamapp.exceptions import BrokerUnavailable
from streamapp.observability.logs import Fields
from streamapp.positions import SHARD_END
from streamapp.records import Shard

logger = logging.getLogger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0
MILLISECOND = timedelta(milliseconds=1)
FIRST_RECORDS = 500
"""How many records the first read brings at most: the handler shall not wait for a whole page."""


@dataclass(frozen=True, slots=True)
class Means:
    """What all feeds of a process share.

    `count` returns how many records one read may bring, by the size of a record in bytes (0: unknown).
    """

    clients: Clients
    queries: Queries
    paces: Paces
    reports: Reports
    count: Callable[[int], int]


class Feed(Task):
    """Fetches ahead in threads of the pool; the reader takes from `shelf`, which `news` guards."""

    def __init__(
        self, shard: Shard, position: int, means: Means, poll_interval: float, news: threading.Condition
    ) -> None:
        """Take the shard, where to begin, and the condition to tell when something came."""
        self.shard = shard
        self.shelf = Shelf(shard)
        self.lag_milliseconds: int | None = None
        """What the last answer said; None while no answer comes, because an old one means nothing."""
        self.asked = time.monotonic()
        """When the read was sent that was the last to bring something, or to find nothing."""
        self.failure: Exception | None = None
        self.closed = position == SHARD_END
        self._means = means
        self._pace = means.paces.of(shard)
        self._poll_interval = poll_interval
        self._news = news
        self._place = position
        self._opening = True
        self._iterator: str | None = None
        self._troubles = 0
        self._size = 0
        if self.closed:
            self.shelf.put([], SHARD_END)

    def run_once(self) -> float | None:
        """Read a page if there is room for it; return when to come again, None to rest until one is taken."""
        if self.closed or self.shelf.is_full:
            return None
        try:
            return self._pace.wait() or self._fetch()
        except AWS_ERRORS as error:
            return self._troubled(error)
        except Exception as error:
            fields = Fields(shard=self.shard, position=packing.describe(self._place))
            logger.exception("Kinesis feed failed. %s", fields)
            self._tell(failure=error)
            return None

    def behind(self, now: datetime) -> Behind | None:
        """Return how far delivery is behind the tip, if that is known; `news` must be held.

        How many records are missing is known at the tip only. A slow handler leaves its pages on the
        shelf, and nothing is read meanwhile: the age of the next record then says more than the answer.
        """
        lag, waiting = self.lag_milliseconds, self.shelf.oldest
        if lag is None:
            return None
        records = None if lag else len(self.shelf)
        if waiting:
            lag = max(lag, (now - waiting) // MILLISECOND)
        return Behind(records, lag)

    def _fetch(self) -> float | None:
        client = self._means.clients.reading()
        if self._iterator is None:
            self._iterator = open_iterator(client, self.shard, self._place)
        count = self._means.count(self._size)
        limit = min(FIRST_RECORDS, count) if self._opening else count
        asked = time.monotonic()
        answer = client.get_records(ShardIterator=self._iterator, Limit=limit)
        self._weigh(answer["Records"])
        self._troubles = 0
        return self._arrived(answer, asked)

    def _weigh(self, records: list[Any]) -> None:
        size = sum(len(record["Data"]) for record in records)
        self._pace.spend(size)
        if records:
            self._size = size // len(records)

    def _arrived(self, answer: Any, asked: float) -> float | None:
        self._iterator = answer.get("NextShardIterator")
        self.lag_milliseconds = answer.get("MillisBehindLatest") or 0
        entries, ended = entries_of(answer["Records"]), self._iterator is None
        if self._opening and (entries or ended or not self.lag_milliseconds):
            if self._is_trimmed(entries):
                return self._stop(OutOfRange(self.shard, self._place))
            entries = [entry for entry in entries if entry.position >= self._place]
            self._opening = False
        if entries:
            self._place = packing.after(entries[-1].position)
        tip = None if self.lag_milliseconds else self._place
        self._tell(entries, SHARD_END if ended else tip, asked, ended)
        return self._poll_interval if tip else 0.0

    def _is_trimmed(self, entries: list[Entry]) -> bool:
        """Tell whether the record to begin with is gone: the service begins with the next one silently."""
        place = packing.unpack(self._place)
        if not isinstance(place, packing.Place) or place.after:
            return False
        return not entries or int(entries[0].sequence) != place.sequence

    def _troubled(self, error: Exception) -> float | None:
        """Decide by the error; everything that isn't about the place is a pause."""
        code, was_opening = code_of(error), self._iterator is None
        if code == EXPIRED or code in WRONG:
            self._iterator = None
        if code == EXPIRED:
            return 0.0
        if code == MISSING or (code in WRONG and was_opening and packing.is_packed(self._place)):
            return self._gone(error)
        return self._pause(error)

    def _gone(self, error: Exception) -> float | None:
        """Find out whether the stream is missing, or the place in it."""
        try:
            listed = self._means.queries.listed(self.shard.stream)
        except BrokerUnavailable:
            return self._pause(error)
        if not listed:
            return self._stop(Missing(self.shard.stream))
        return self._stop(OutOfRange(self.shard, self._place))

    def _pause(self, error: Exception) -> float:
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self._troubles, 8))
        self._troubles += 1
        self.lag_milliseconds = None
        seconds = longest * random.uniform(0.5, 1.0)
        self._means.reports.waiting(self.shard, error, seconds)
        return seconds

    def _stop(self, event: Event) -> float | None:
        with self._news:
            self.closed = True
            self.shelf.note(event)
            self._news.notify_all()
        return None

    def _tell(
        self,
        entries: list[Entry] | None = None,
        reached: int | None = None,
        asked: float | None = None,
        ended: bool = False,
        failure: Exception | None = None,
    ) -> None:
        with self._news:
            self.closed = self.closed or ended
            self.failure = failure
            self.asked = asked or self.asked
            self.shelf.put(entries or [], reached)
            self._news.notify_all()
