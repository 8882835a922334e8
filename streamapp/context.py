"""What a handler may know and do beyond its value."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from asgiref.sync import sync_to_async

from streamapp.copies import made_before
from streamapp.positions import At, Position
from streamapp.records import Record, Shard

if TYPE_CHECKING:
    from streamapp.brokers.reading import Chunk
    from streamapp.engine.moving import Mover


class BatchContext:
    """The context of a batch. It has no position, because a batch spans many records."""

    __slots__ = ("_mover", "attempt", "state")

    def __init__(self, mover: "Mover", attempt: int, state: Any) -> None:
        self._mover = mover
        self.attempt = attempt
        """How often the record, or the batch, has been delivered in this run: 1 the first time."""
        self.state = state
        """What the subscription's `STATE` factory made, or None."""

    def seek(self, position: Position) -> None:
        """Move this worker's own reading; not durable by itself.

        Outcomes of everything delivered before the call are void. Reading moves when the handler,
        or the whole batch, has returned. Asks the broker, so it may wait for its timeout.

        Raises NotAssigned for a shard that this worker doesn't hold, InvalidPosition for a number that
        no record can have, or that could be of two topics.
        """
        self._mover.seek(position)

    async def aseek(self, position: Position) -> None:
        """Do what `seek` does, from an `async def` handler."""
        await sync_to_async(self._mover.seek)(position)

    def rewind(self, position: Position) -> None:
        """Move the checkpoints of the whole subscription, on every worker, in the handler's transaction.

        It is undone when that transaction is rolled back. Raises InvalidPosition.
        """
        self._mover.rewind(position)

    async def arewind(self, position: Position) -> None:
        """Do what `rewind` does, from an `async def` handler."""
        await sync_to_async(self._mover.rewind)(position)


class Context(BatchContext):
    """The context of one record; everything is read from the record when it is asked for."""

    __slots__ = ("_chunk", "_delivered", "_index")

    def __init__(self, mover: "Mover", attempt: int, state: Any, chunk: "Chunk", index: int) -> None:
        # One is made for every record, so there is no call of the base class.
        self._mover = mover
        self._delivered = attempt
        self.state = state
        self._chunk = chunk
        self._index = index

    @property
    def attempt(self) -> int:  # type: ignore[override]
        """How often the record has been delivered, 1 the first time; what its copies say counts too."""
        return self._delivered + made_before(self.headers)

    @property
    def record(self) -> Record:
        """Return the record whole."""
        return self._chunk.record(self._index)

    @property
    def shard(self) -> Shard:
        """Return the shard that the record stands in."""
        return self._chunk.shard

    @property
    def partition(self) -> int:
        """Return the number of the Kafka partition."""
        return int(self._chunk.shard.id)

    @property
    def offset(self) -> int:
        """Return the record's offset, on Kafka."""
        return self._chunk.position(self._index)

    @property
    def position(self) -> At:
        """Return the record's own position: seeking to it reads it again and all behind it."""
        shard = self._chunk.shard
        return At(shard.id, self._chunk.position(self._index), shard.stream)

    @property
    def key(self) -> bytes | None:
        """Return the record's key."""
        return self.record.key

    @property
    def headers(self) -> Mapping[str, bytes]:
        """Return the record's headers."""
        return self.record.headers

    @property
    def timestamp(self) -> datetime | None:
        """Return the record's time, aware, or None where the log kept none."""
        return self.record.timestamp
