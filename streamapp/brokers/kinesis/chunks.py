"""Records of one shard as chunks, cut from pages."""

from collections.abc import Sequence
from datetime import UTC, datetime

from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.entries import Entry
from streamapp.brokers.kinesis.envelope import unwrap
from streamapp.brokers.reading import Chunk
from streamapp.records import Record, Shard


class KinesisChunk(Chunk):
    """Consecutive records of one shard; positions and headers are made when they are asked for."""

    __slots__ = ("_entries",)

    def __init__(self, shard: Shard, entries: Sequence[Entry], end: int) -> None:
        """Take at least one record, in order, and the position behind the last."""
        self.shard = shard
        self.end = end
        self._entries = entries

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self._entries)

    def position(self, index: int) -> int:
        """Return the position of one record."""
        return self._entries[index].position

    def values(self, start: int = 0, stop: int | None = None) -> list[bytes | None]:
        """Return the payloads of neighbouring records, in order; there are no tombstones on Kinesis."""
        return [unwrap(entry.data)[1] for entry in self._entries[start:stop]]

    def record(self, index: int) -> Record:
        """Return one record whole; its key is the partition key."""
        entry = self._entries[index]
        headers, payload = unwrap(entry.data)
        return Record(
            shard=self.shard,
            position=entry.position,
            value=payload,
            key=entry.key.encode(),
            headers=headers,
            timestamp=entry.arrived and entry.arrived.astimezone(UTC),
        )


class Page:
    """What one read brought and nobody took yet."""

    def __init__(self, shard: Shard, entries: list[Entry]) -> None:
        """Take records in order, at least one."""
        self._shard = shard
        self._entries = entries
        self._taken = 0

    def __len__(self) -> int:
        """Return how many records are left."""
        return len(self._entries) - self._taken

    @property
    def oldest(self) -> datetime | None:
        """Return when the next record to take arrived."""
        return self._entries[self._taken].arrived

    def take(self, count: int) -> KinesisChunk:
        """Return the next records, at most so many; there must be some left."""
        first, last = self._taken, min(self._taken + count, len(self._entries))
        self._taken = last
        return KinesisChunk(self._shard, self._entries[first:last], self._end(last))

    def _end(self, index: int) -> int:
        """Return the position behind a record: in the middle of an aggregate that is the next one in it."""
        before = self._entries[index - 1]
        if index < len(self._entries) and self._entries[index].sequence == before.sequence:
            return self._entries[index].position
        return packing.after(before.position)
