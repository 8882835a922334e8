"""What was fetched of one shard and not taken yet."""

from collections import deque
from datetime import datetime

from streamapp.brokers.kinesis.chunks import KinesisChunk, Page
from streamapp.brokers.kinesis.entries import Entry
from streamapp.brokers.reading import Event
from streamapp.positions import SHARD_END
from streamapp.records import Shard

PAGES = 2
"""How many pages wait for the handler: the one that is being taken, and one read ahead."""


class Shelf:
    """Pages in order, then the end of the log if it was reached, and events. Guarded by its owner."""

    def __init__(self, shard: Shard) -> None:
        """Begin empty."""
        self._shard = shard
        self._pages: deque[Page] = deque()
        self._reached: int | None = None
        self._events: list[Event] = []

    def __len__(self) -> int:
        """Return how many records wait."""
        return sum(map(len, self._pages))

    @property
    def oldest(self) -> datetime | None:
        """Return when the next record to take arrived; None without one, or where it doesn't say."""
        return self._pages[0].oldest if self._pages else None

    @property
    def is_full(self) -> bool:
        """Tell whether nothing more should be fetched now."""
        return len(self._pages) >= PAGES

    @property
    def has_news(self) -> bool:
        """Tell whether there is more to take than a tip that may move on."""
        return bool(self._pages or self._events or self._reached == SHARD_END)

    def put(self, entries: list[Entry], reached: int | None) -> None:
        """Add what a read has brought: records, and where the log ends if it ends behind them."""
        if entries:
            self._pages.append(Page(self._shard, entries))
        self._reached = reached

    def note(self, event: Event) -> None:
        """Add an event."""
        self._events.append(event)

    def take_events(self) -> list[Event]:
        """Return the events and forget them."""
        events, self._events = self._events, []
        return events

    def take(self, limit: int) -> list[KinesisChunk]:
        """Return the next records, at most so many."""
        chunks: list[KinesisChunk] = []
        while self._pages and limit > 0:
            chunks.append(self._pages[0].take(limit))
            limit -= len(chunks[-1])
            if not self._pages[0]:
                self._pages.popleft()
        return chunks

    def take_end(self) -> int | None:
        """Return the end of the log if every record in front of it was taken, once."""
        if self._pages:
            return None
        reached, self._reached = self._reached, None
        return reached
