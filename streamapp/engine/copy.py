"""A copy from the database, handled in the lanes as the one record of a shard of its own.

It is handled alone: what fails with it fails for its own sake.
"""

from streamapp.brokers.reading import Chunk
from streamapp.engine.shard import Placed, ShardState, Slice
from streamapp.records import Record, Shard
from streamapp.store.checkpoints import Place
from streamapp.store.failed import Claimed
from streamapp.store.leases import Taken


class CopyChunk(Chunk):
    """One copy, at the place where its record stood."""

    __slots__ = ("_record",)

    def __init__(self, record: Record) -> None:
        self._record = record
        self.shard = record.shard
        self.end = record.position + 1

    def __len__(self) -> int:
        return 1

    def position(self, index: int) -> int:  # noqa: ARG002
        """Return where the record stood."""
        return self._record.position

    def values(self, start: int = 0, stop: int | None = None) -> list[bytes | None]:
        """Return its payload."""
        return [self._record.value][start:stop]

    def record(self, index: int) -> Record:  # noqa: ARG002
        """Return the record, with the headers of a copy."""
        return self._record


class CopyState(ShardState):
    """What a worker remembers of a copy in hand: a shard with one record and no checkpoint."""

    claimed: Claimed
    alone = True

    def __init__(self, claimed: Claimed) -> None:
        # Negative numbers, so that no row of a checkpoint is meant; rows are locked in this order.
        placed = Placed(Taken(-claimed.id, 0, Place(claimed.record.position)), claimed.record.position)
        super().__init__(Shard("", f"delayed {claimed.id}"), placed)
        self.claimed = claimed
        self.target = None
        self.held_because = ""
        chunk = CopyChunk(claimed.record)
        self.part = Slice(self, self.generation, self.watermark.register(chunk), chunk, [0])

    @property
    def is_handled(self) -> bool:
        """Tell whether the copy is settled: its row may go."""
        return self.part.span.complete

    @property
    def is_held(self) -> bool:
        """Tell whether the handler holds the copy: its row waits for an operator."""
        return bool(self.part.span.held) and not self.stranded

    def hold(self, part: Slice, index: int, reason: str) -> bool:
        """Leave the copy to an operator; False if its claim is void."""
        with self.notes.lock:
            if part.current:
                self.held_because = reason
                part.span.hold(index)
            return part.current
