"""The log of the local broker: every query on its tables.

Offsets of a partition are dense and become visible in order: a writer first moves the partition's
end, which locks that row until its transaction ends, and inserts afterwards. All methods use the
thread's own connection and raise django.db.Error as it comes.
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connections, transaction
from django.db.models import CharField, F, Min, Q, QuerySet
from django.db.models.functions import Cast

from streamapp.brokers.local.entry import Entry
from streamapp.exceptions import PublishFailed
from streamapp.models.local import LocalPartition, LocalRecord, LocalStream
from streamapp.records import Bounds, Shard

Bytes = bytes | memoryview | None
COLUMNS = ("offset", "key", "value", "headers", "timestamp")
ROWS_AT_ONCE = 10
Row = tuple[int, Bytes, Bytes, Mapping[str, str], int]
"""Offset, key, value, headers as base64, milliseconds since the epoch."""


class Partition(NamedTuple):
    """A row of the log's partitions: `first` is the oldest offset kept, `end` the next to be given."""

    id: int
    first: int
    end: int

    def keeps(self, position: int) -> bool:
        """Tell whether a reader can go on from there: at a record that is kept, or at the end."""
        return self.first <= position <= self.end


class Log:
    """The streams of one broker alias in one database."""

    def __init__(self, broker: str, database: str) -> None:
        """Take the names of the broker and of the database; no query happens yet."""
        self._broker = broker
        self.database = database

    def recover(self) -> None:
        """Drop the thread's connection if a query has failed and it is broken; never inside a transaction.

        An old connection that works is left alone: making one anew for each poll would cost more than
        the poll itself. Whoever runs the reader closes old connections around its units of work.
        """
        connection = connections[self.database]
        if connection.errors_occurred and not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()

    def partitions(self, streams: Iterable[str] | None = None) -> dict[Shard, Partition]:
        """Return the partitions of these streams, or of all, by stream and number, in one query."""
        rows = LocalPartition.objects.using(self.database).filter(stream__broker=self._broker)
        if streams is not None:
            rows = rows.filter(stream__name__in=tuple(streams))
        return self._by_shard(rows)

    def partition(self, shard: Shard) -> Partition | None:
        """Return one partition, None if it isn't there any more; in one query, however many there are."""
        return self.some([shard]).get(shard)

    def some(self, shards: Iterable[Shard]) -> dict[Shard, Partition]:
        """Return these partitions, as far as they are there; in one query that reads no others."""
        wanted = [shard for shard in shards if shard.id.isdecimal()]
        rows = LocalPartition.objects.using(self.database).filter(
            stream__broker=self._broker,
            stream__name__in={shard.stream for shard in wanted},
            number__in={int(shard.id) for shard in wanted},
        )
        found = self._by_shard(rows)
        return {shard: found[shard] for shard in wanted if shard in found}

    def shards(self) -> list[Shard]:
        """Return all partitions as shards, by stream and number, in one query."""
        rows = LocalPartition.objects.using(self.database).filter(stream__broker=self._broker)
        texts = Incarnations()
        return [Shard(name, str(number), texts[made]) for name, number, made in _placed(rows)]

    def bounds(self, shards: Iterable[Shard]) -> dict[Shard, Bounds]:
        """Return what these partitions keep, as far as they are there; in one query."""
        wanted = list(shards)
        rows = LocalPartition.objects.using(self.database).filter(
            stream__broker=self._broker, stream__name__in={shard.stream for shard in wanted}
        )
        texts = Incarnations()
        # A shard is found under the plain tuple of its fields: ten thousand more shards take time to make.
        found = {
            (name, str(number), texts[made]): Bounds(first, end)
            for name, number, made, first, end in _placed(rows, "first", "end")
        }
        return {shard: kept for shard in wanted if (kept := found.get(shard)) is not None}

    def _by_shard(self, rows: QuerySet[LocalPartition]) -> dict[Shard, Partition]:
        texts = Incarnations()
        return {
            Shard(name, str(number), texts[made]): Partition(*values)
            for name, number, made, *values in _placed(rows, "id", "first", "end")
        }

    def create(self, stream: str, partitions: int) -> None:
        """Make the stream unless it exists, and what is missing of its first `partitions` partitions."""
        with transaction.atomic(using=self.database):
            row, _ = LocalStream.objects.using(self.database).get_or_create(broker=self._broker, name=stream)
            LocalPartition.objects.using(self.database).bulk_create(
                [LocalPartition(stream=row, number=number) for number in range(partitions)],
                ignore_conflicts=True,
            )

    def delete(self, stream: str) -> None:
        """Delete a stream with its records; no error if there is none."""
        LocalStream.objects.using(self.database).filter(broker=self._broker, name=stream).delete()

    def reserve(self, shard: Shard, partition: Partition, count: int) -> int:
        """Give out `count` offsets and return the first; other writers wait until the transaction ends."""
        row = self._row(partition)
        if not row.update(end=F("end") + count):
            raise PublishFailed(f"{shard} was deleted while a record was published to it. Publish again.")
        return row.values_list("end", flat=True).get() - count

    def append(self, partition: Partition, first: int, entries: Sequence[Entry], milliseconds: int) -> None:
        """Insert records at the offsets that were reserved."""
        LocalRecord.objects.using(self.database).bulk_create(
            LocalRecord(
                partition_id=partition.id,
                offset=offset,
                key=entry.key,
                value=entry.value,
                headers={name: b64encode(value).decode() for name, value in entry.headers.items()},
                timestamp=milliseconds,
            )
            for offset, entry in enumerate(entries, first)
        )

    def read(self, partition: Partition, first: int, count: int) -> list[Row]:
        """Return the records with the `count` offsets from `first` on, as far as they are kept."""
        rows = self._records().filter(partition=partition.id, offset__gte=first, offset__lt=first + count)
        return list(rows.order_by("offset").values_list(*COLUMNS))

    def at(self, places: Mapping[Partition, int]) -> dict[int, Row]:
        """Return by partition id the record with exactly the given offset, where it is kept; in one query."""
        partitions = defaultdict(list)
        for partition, offset in places.items():
            partitions[offset].append(partition.id)
        meant = (Q(offset=offset, partition__in=ids) for offset, ids in partitions.items())
        rows = self._records().filter(reduce(or_, meant, Q(pk__in=[])))
        return {id: row for id, *row in rows.values_list("partition", *COLUMNS)}

    def walk(self, partition: Partition, first: int) -> Generator[Row, None, None]:
        """Yield the records from an offset on, a few fetched at once; close it to end the query."""
        rows = self._records().filter(partition=partition.id, offset__gte=first).order_by("offset")
        yield from rows.values_list(*COLUMNS).iterator(chunk_size=ROWS_AT_ONCE)

    def firsts_since(self, partitions: Iterable[Partition], milliseconds: int) -> dict[int, int]:
        """Return by partition id the offset of the first record that is not older, where there is one."""
        ids = [partition.id for partition in partitions]
        rows = self._records().filter(partition__in=ids, timestamp__gte=milliseconds).order_by()
        return dict(rows.values("partition").annotate(first=Min("offset")).values_list("partition", "first"))

    def trim(self, partition: Partition, before: int) -> None:
        """Delete the records before an offset, as retention does."""
        before = min(before, partition.end)
        with transaction.atomic(using=self.database):
            self._row(partition).filter(first__lt=before).update(first=before)
            self._records().filter(partition=partition.id, offset__lt=before).delete()

    def _row(self, partition: Partition) -> QuerySet[LocalPartition]:
        return LocalPartition.objects.using(self.database).filter(id=partition.id)

    def _records(self) -> QuerySet[LocalRecord]:
        return LocalRecord.objects.using(self.database)


class Incarnations(dict[str, str]):
    """The texts of incarnations as the database writes them: made once each, which costs more than a row."""

    def __missing__(self, made: str) -> str:
        """Write it as all others do."""
        return self.setdefault(made, str(UUID(made)))


def _placed(rows: QuerySet[LocalPartition], *columns: str) -> Iterable[tuple[Any, ...]]:
    """Return stream, number and incarnation of each row, and then these columns: each takes its time."""
    made = Cast("stream__incarnation", CharField())
    placed = rows.annotate(made=made).order_by("stream__name", "number")
    return placed.values_list("stream__name", "number", "made", *columns)
