"""Puts records into the local log: which partition, which offset, what time."""

import itertools
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.db import transaction

from streamapp.brokers.base import Published
from streamapp.brokers.local.entry import Entry
from streamapp.brokers.local.log import Log, Partition
from streamapp.exceptions import PublishFailed
from streamapp.records import Shard


class Publisher:
    """Stores records in streams, which are made with `partitions` partitions if they are missing."""

    def __init__(self, log: Log, partitions: int, clock: Callable[[], datetime]) -> None:
        """Take the log, the size of a new stream, and what tells the time of a record."""
        self._log = log
        self._partitions = partitions
        self._clock = clock
        self._turns: defaultdict[str, itertools.count[int]] = defaultdict(itertools.count)

    def publish(self, stream: str, entries: Sequence[Entry]) -> list[Published]:
        """Store all entries or none, and return their places in the same order.

        Partitions are locked by number, so that two calls never wait for each other in a circle.
        """
        partitions = self._partitions_of(stream)
        turns = self._by_shard(stream, entries, tuple(partitions))
        published: dict[int, Published] = {}
        with transaction.atomic(using=self._log.database):
            for shard in filter(turns.__contains__, partitions):
                chosen = [entries[index] for index in turns[shard]]
                first = self._store(shard, partitions[shard], chosen)
                places = (Published(shard, offset) for offset in itertools.count(first))
                published.update(zip(turns[shard], places, strict=False))
        return [published[index] for index in range(len(entries))]

    def _partitions_of(self, stream: str) -> Mapping[Shard, Partition]:
        if not stream.strip() or stream.startswith("^"):
            raise PublishFailed(f"{stream!r} is not the name of a stream. Nothing was stored.")
        if found := self._log.partitions([stream]):
            return found
        self._log.create(stream, self._partitions)
        return self._log.partitions([stream])

    def _by_shard(
        self, stream: str, entries: Sequence[Entry], shards: Sequence[Shard]
    ) -> Mapping[Shard, Sequence[int]]:
        turns: dict[Shard, list[int]] = {}
        for index, entry in enumerate(entries):
            number = next(self._turns[stream]) if entry.key is None else zlib.crc32(entry.key)
            turns.setdefault(shards[number % len(shards)], []).append(index)
        return turns

    def _store(self, shard: Shard, partition: Partition, entries: Sequence[Entry]) -> int:
        first = self._log.reserve(shard, partition, len(entries))
        milliseconds = int(self._clock().timestamp() * 1000)
        self._log.append(partition, first, entries, milliseconds)
        return first
