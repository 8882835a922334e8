"""Reads the shards that the engine opens."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from streamapp.brokers.kinesis.feed import Feed
from streamapp.brokers.kinesis.pool import Pool
from streamapp.brokers.reading import Behind, Chunk, Event, Missing, Polled, Reader
from streamapp.exceptions import ReaderFailed
from streamapp.records import Shard


class KinesisReader(Reader):
    """Takes what feeds have fetched ahead; each open shard has a feed of its own.

    A shard that is out of range, or whose stream is gone, counts as closed once that is reported.
    """

    assigns = False

    def __init__(
        self,
        name: str,
        limit: int,
        pool: Pool,
        make_feed: Callable[[Shard, int, threading.Condition], Feed],
        first_events: Iterable[Event] = (),
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Take the subscription's name, the most records of one poll, what fetches, and what to say first.

        `clock` returns the aware time by which records grow old.
        """
        self._name = name
        self._limit = limit
        self._pool = pool
        self._make_feed = make_feed
        self._clock = clock
        self._news = threading.Condition()
        self._feeds: dict[Shard, Feed] = {}
        self._paused: set[Shard] = set()
        self._missing: set[str] = set()
        self._first_events = self._first_said(first_events)

    def poll(self, timeout: float) -> Polled:
        """Return what is there, waiting up to `timeout` seconds for the first news of a shard.

        Raises ReaderFailed after a mistake in streamapp itself; the peer's errors are waited for.
        """
        deadline = time.monotonic() + timeout
        with self._news:
            self._news.wait_for(self._has_news, max(0.0, deadline - time.monotonic()))
            return self._taken()

    def keep_alive(self) -> None:
        """Do nothing: there is no membership to keep."""

    def open(self, positions: Mapping[Shard, int]) -> None:
        """Read each of these shards from its position on, also those being read or paused already."""
        self.close_shards(positions)
        with self._news:
            feeds = {shard: self._make_feed(shard, at, self._news) for shard, at in positions.items()}
            self._feeds |= feeds
        for feed in feeds.values():
            self._pool.wake(feed)

    def close_shards(self, shards: Iterable[Shard]) -> None:
        """Stop reading these shards; unknown ones are ignored."""
        with self._news:
            for shard in shards:
                self._paused.discard(shard)
                if feed := self._feeds.pop(shard, None):
                    feed.closed = True

    def pause(self, shards: Iterable[Shard]) -> None:
        """Deliver nothing of these shards until `resume` or `open`; what was read ahead is kept."""
        self._paused.update(self._feeds.keys() & set(shards))

    def resume(self, shards: Iterable[Shard]) -> None:
        """Go on behind the last record delivered of these shards."""
        self._paused.difference_update(shards)

    def mirror(self, positions: Mapping[Shard, int]) -> None:
        """Do nothing: Kinesis keeps no checkpoints."""

    def lags(self) -> dict[Shard, Behind]:
        """Return what the last read of each shard has told, and how old the next record to deliver is."""
        now = self._clock()
        with self._news:
            lags = {shard: feed.behind(now) for shard, feed in self._feeds.items()}
        return {shard: lag for shard, lag in lags.items() if lag is not None}

    def close(self) -> None:
        """Stop reading; doesn't wait for reads under way, whose records nobody sees."""
        self.close_shards(tuple(self._feeds))

    def _reading(self) -> list[Feed]:
        return [feed for shard, feed in self._feeds.items() if shard not in self._paused]

    def _has_news(self) -> bool:
        return bool(self._first_events) or any(
            feed.failure or feed.shelf.has_news for feed in self._reading()
        )

    def _taken(self) -> Polled:
        events, self._first_events = self._first_events, []
        chunks: list[Chunk] = []
        ends: dict[Shard, int] = {}
        asked: dict[Shard, float] = {}
        room = self._limit
        for feed in self._reading():
            self._raise_failure(feed)
            taken = feed.shelf.take(room)
            events += self._first_said(feed.shelf.take_events())
            if taken:
                room -= sum(map(len, taken))
                chunks += taken
                self._last(feed)
            if (end := feed.shelf.take_end()) is not None:
                ends[feed.shard], asked[feed.shard] = end, feed.asked
        return Polled(events, chunks, ends, asked)

    def _last(self, feed: Feed) -> None:
        """Let the others come first next time, and the feed go on if it was resting."""
        self._feeds[feed.shard] = self._feeds.pop(feed.shard)
        self._pool.wake(feed)

    def _first_said(self, events: Iterable[Event]) -> list[Event]:
        said = [
            event for event in events if not isinstance(event, Missing) or event.stream not in self._missing
        ]
        self._missing.update(event.stream for event in said if isinstance(event, Missing))
        return said

    def _raise_failure(self, feed: Feed) -> None:
        if feed.failure is not None:
            raise ReaderFailed(
                f"Reading {feed.shard} for {self._name} failed: {feed.failure}. Make a new reader."
            ) from feed.failure
