"""Records and the shards they come from: plain values, free of Django and of any broker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import msgspec


class Shard(NamedTuple):
    """One ordered part of a stream; a Kafka partition is a shard.

    `incarnation` tells a stream from another one of the same name that was deleted before it was
    made (Kafka: the topic id). It belongs to the identity, so that a checkpoint of the old stream
    never moves a reader of the new one.

    A tuple, because shards are the keys of almost every mapping: it is found five times as fast as a
    dataclass, and there may be ten thousand.
    """

    stream: str
    id: str
    incarnation: str = ""

    def __str__(self) -> str:
        """Write the shard as operators write it: `orders/3`."""
        return f"{self.stream}/{self.id}"


@dataclass(frozen=True, slots=True)
class Record:
    """One message of a log, with the place where it stands.

    `value` is None for a tombstone. `timestamp` is aware, or None where the log kept none.
    """

    shard: Shard
    position: int
    value: bytes | None
    key: bytes | None = None
    headers: Mapping[str, bytes] = field(default_factory=dict)
    timestamp: datetime | None = None

    def json(self) -> Any:
        """Decode the value as JSON; None for a tombstone. Raises msgspec.DecodeError."""
        return None if self.value is None else msgspec.json.decode(self.value)


class Bounds(NamedTuple):
    """What a shard's log keeps: `first` is its oldest record, `end` the place of the next one to come.

    Where `is_moment`, the end is a position from which only new records are read, but not the place
    behind the last one: positions of records don't compare with it.
    """

    first: int
    end: int
    is_moment: bool = False
