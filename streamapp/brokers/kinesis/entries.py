"""User records as they come out of what Kinesis stores: a stored record may be an aggregate of many."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from aws_kinesis_agg import deaggregator
from google.protobuf.message import DecodeError

from streamapp.brokers.kinesis import packing

AGGREGATE = b"\xf3\x89\x9a\xc2"
DIGEST = 16


class Entry(NamedTuple):
    """One user record, with the place of it inside the stored record."""

    sequence: str
    part: int
    data: bytes
    key: str
    arrived: datetime | None

    @property
    def position(self) -> int:
        """Return the number of the record."""
        return packing.at(int(self.sequence), self.part)


def entries_of(stored: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Take stored records apart, in order."""
    entries: list[Entry] = []
    for record in stored:
        if record["Data"].startswith(AGGREGATE):
            entries += _parts(record)
        else:
            entries.append(_entry(record, 0, record["Data"], record["PartitionKey"]))
    return entries


def _entry(stored: Mapping[str, Any], part: int, data: bytes, key: str) -> Entry:
    return Entry(stored["SequenceNumber"], part, data, key, stored.get("ApproximateArrivalTimestamp"))


def _parts(stored: Mapping[str, Any]) -> list[Entry]:
    """Return the records of an aggregate; what only looks like one is a record itself."""
    data = stored["Data"]
    message, digest = data[len(AGGREGATE) : -DIGEST], data[-DIGEST:]
    if hashlib.md5(message, usedforsecurity=False).digest() == digest:
        try:
            parts = [_entry(stored, *part) for part in _read(message)]
        except (DecodeError, IndexError):
            parts = []
        if parts:
            return parts
    return [_entry(stored, 0, data, stored["PartitionKey"])]


def _read(message: bytes) -> Iterator[tuple[int, bytes, str]]:
    aggregate = deaggregator.messages_pb2.AggregatedRecord()
    aggregate.ParseFromString(message)
    for part, record in enumerate(aggregate.records):
        yield part, record.data, aggregate.partition_key_table[record.partition_key_index]
