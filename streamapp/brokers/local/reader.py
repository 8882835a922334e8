"""Reads the local log for one worker by asking the database again and again."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from streamapp.brokers.lags import Lags
from streamapp.brokers.local.chunk import LocalChunk
from streamapp.brokers.local.sharing import shares
from streamapp.brokers.reading import Behind, Event, Missing, OutOfRange, Polled, Reader
from streamapp.records import Shard

if TYPE_CHECKING:
    from streamapp.brokers.local.log import Log, Partition

PAUSE_SECONDS = 0.05


class LocalReader(Reader):
    """Reads the shards that the engine opens, all of them within one `limit`, none before the others.

    A shard that is out of range, or whose stream was deleted, counts as closed once that is reported.
    """

    def __init__(
        self, log: "Log", limit: int, wait: Callable[[float], object], clock: Callable[[], datetime]
    ) -> None:
        """Take the log, the most records of one poll, what waits so many seconds, and what tells the time."""
        self._log = log
        self._limit = limit
        self._wait = wait
        self._places: dict[Shard, int] = {}
        self._paused: set[Shard] = set()
        self._ends: dict[Shard, int] = {}
        """Where the log of each shard that doesn't rest ended at the last look."""
        self._lags: Lags[Shard] = Lags(lambda: int(clock().timestamp() * 1000))

    def poll(self, timeout: float) -> Polled:
        """Return what is there, waiting up to `timeout` seconds for the first record or event.

        Asks the database every 50 ms. Raises django.db.Error as it comes; the next poll then uses a
        new connection and has lost nothing.
        """
        self._log.recover()
        polled = self.poll_once()
        while timeout > 0 and not polled.events and not polled.chunks:
            pause = min(PAUSE_SECONDS, timeout)
            self._wait(pause)
            timeout -= pause
            polled = self.poll_once()
        return polled

    def poll_once(self) -> Polled:
        """Ask the log once: one query for all shards, and one for each shard that has news."""
        if not self._places:
            return Polled()
        partitions = self._log.partitions({shard.stream for shard in self._places})
        astray = [shard for shard in self._places if not self._readable(shard, partitions)]
        silent = {*astray, *self._paused}
        reading = {shard: partitions[shard] for shard in self._places if shard not in silent}
        chunks = self._read(reading)
        # No query follows: a poll that fails has moved nothing.
        events = self._close(astray, partitions)
        self._advance(chunks)
        self._ends = {shard: row.end for shard, row in reading.items()}
        ends = {shard: end for shard, end in self._ends.items() if self._places[shard] == end}
        return Polled(events, chunks, ends)

    def keep_alive(self) -> None:
        """Do nothing: there is no membership to keep."""

    def open(self, positions: Mapping[Shard, int]) -> None:
        """Read each of these shards from its position on, also those being read or paused already."""
        self._places.update(positions)
        self._lags.opened(positions)
        self._paused.difference_update(positions)

    def close_shards(self, shards: Iterable[Shard]) -> None:
        """Stop reading these shards; unknown ones are ignored."""
        for shard in shards:
            self._places.pop(shard, None)
            self._paused.discard(shard)

    def pause(self, shards: Iterable[Shard]) -> None:
        """Deliver nothing of these shards until `resume` or `open`; unknown ones are ignored."""
        self._paused.update(self._places.keys() & set(shards))

    def resume(self, shards: Iterable[Shard]) -> None:
        """Go on behind the last record delivered of these shards."""
        self._paused.difference_update(shards)

    def mirror(self, positions: Mapping[Shard, int]) -> None:
        """Do nothing: the local broker has no lag tools of its own."""

    def lags(self) -> dict[Shard, Behind]:
        """Return how far there is to read to the ends that the last look found."""
        return {
            shard: self._lags.behind(shard, end - self._places[shard])
            for shard, end in self._ends.items()
            if shard in self._places
        }

    def close(self) -> None:
        """Forget all shards."""
        self.close_shards(tuple(self._places))

    def _readable(self, shard: Shard, partitions: "Mapping[Shard, Partition]") -> bool:
        return shard in partitions and partitions[shard].keeps(self._places[shard])

    def _close(self, astray: Iterable[Shard], partitions: "Mapping[Shard, Partition]") -> list[Event]:
        events: dict[Event, None] = {}
        for shard in astray:
            place = self._places[shard]
            events[OutOfRange(shard, place) if shard in partitions else Missing(shard.stream)] = None
        self.close_shards(astray)
        return list(events)

    def _read(self, reading: "Mapping[Shard, Partition]") -> list[LocalChunk]:
        news = {shard: count for shard, row in reading.items() if (count := row.end - self._places[shard])}
        divided = shares(news, self._limit).items()
        chunks = (self._read_shard(shard, reading[shard], count) for shard, count in divided)
        return [chunk for chunk in chunks if chunk]

    def _read_shard(self, shard: Shard, partition: "Partition", count: int) -> LocalChunk | None:
        rows = self._log.read(partition, self._places[shard], count)
        if not rows or rows[0][0] != self._places[shard]:
            return None  # trimmed since its end was read: the next poll says so
        return LocalChunk(shard, rows)

    def _advance(self, chunks: Iterable[LocalChunk]) -> None:
        for chunk in chunks:
            del self._places[chunk.shard]  # to the back of the row: the others come first next time
            self._places[chunk.shard] = chunk.end
            self._lags.delivered(chunk.shard, chunk.written)
