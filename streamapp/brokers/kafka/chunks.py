"""Messages of the client as chunks of records."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Message

from streamapp.brokers.base import Chunk
from streamapp.records import Record, Shard

Key = tuple[str, int]
"""A partition as the client names it: topic and number."""
YEAR_9999 = 253_370_764_800_000
"""When it begins, in milliseconds since the epoch."""


class KafkaChunk(Chunk):
    """Consecutive messages of one partition; nothing is decoded before it is asked for."""

    __slots__ = ("_messages",)

    def __init__(self, shard: Shard, messages: Sequence[Message], end: int) -> None:
        """Take messages with rising offsets, without errors among them."""
        self.shard = shard
        self.end = end
        self._messages = messages

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self._messages)

    def position(self, index: int) -> int:
        """Return the offset of one record."""
        return offset_of(self._messages[index])

    def values(self, start: int = 0, stop: int | None = None) -> list[bytes | None]:
        """Return the payloads of neighbouring records, in order; None for a tombstone."""
        return list(map(Message.value, self._messages[start:stop]))

    def value(self, index: int) -> bytes | None:
        """Return the payload of one record; None for a tombstone."""
        return self._messages[index].value()

    def keys(self) -> list[bytes | None]:
        """Return the keys of all records, in order."""
        return list(map(Message.key, self._messages))

    def record(self, index: int) -> Record:
        """Return one record whole. Of headers with one name the last counts."""
        message = self._messages[index]
        return Record(
            shard=self.shard,
            position=offset_of(message),
            value=message.value(),
            key=message.key(),
            headers=_headers(message),
            timestamp=_timestamp(message),
        )


def runs(messages: Sequence[Message], topic: str | None) -> Iterator[tuple[Key, list[Message]]]:
    """Cut messages where the partition changes. Give the topic if there is only one, which is faster."""
    for partition, run in groupby(messages, Message.partition):
        if topic is not None:
            yield (topic, partition or 0), list(run)
        else:
            for name, part in groupby(run, Message.topic):
                yield (name or "", partition or 0), list(part)


def expected(run: list[Message], position: int) -> list[Message]:
    """Return the messages from `position` on, each later than the one before it."""
    first, last = offset_of(run[0]), offset_of(run[-1])
    if first >= position and last - first + 1 == len(run):
        return run
    kept = []
    for message in run:
        if offset_of(message) >= position:
            kept.append(message)
            position = offset_of(message) + 1
    return kept


offset_of: Callable[[Message], int] = Message.offset  # type: ignore[assignment]
"""The offset of a message that is no error; those always have one."""


def _headers(message: Message) -> dict[str, bytes]:
    given: Any = message.headers() or ()
    return {name: value or b"" for name, value in given}


def milliseconds_of(message: Message) -> int | None:
    """Return when a message was written, in milliseconds since the epoch, if the log has kept that.

    What isn't between 1970 and the year 9999 is no moment: producers write what they like, microseconds too.
    """
    kind, milliseconds = message.timestamp()
    is_moment = kind != TIMESTAMP_NOT_AVAILABLE and 0 <= milliseconds < YEAR_9999
    return milliseconds if is_moment else None


def _timestamp(message: Message) -> datetime | None:
    milliseconds = milliseconds_of(message)
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)
