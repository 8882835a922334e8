"""One shard in one worker: its fence, its generation and its watermark."""

from dataclasses import dataclass
from typing import NamedTuple

from streamapp.brokers.base import Behind, Chunk
from streamapp.engine.watermark import Span, Watermark
from streamapp.records import Shard
from streamapp.store.checkpoints import Save
from streamapp.store.lags import Sample
from streamapp.store.leases import Taken
from streamapp.store.records import Held


@dataclass(frozen=True, slots=True)
class Placed:
    """A lease that was taken, with where to read from; usually what the row says."""

    lease: Taken
    position: int


class Snapshot(NamedTuple):
    """A save with the generation that it belongs to."""

    state: "ShardState"
    generation: int
    save: Save


@dataclass(frozen=True, slots=True)
class Slice:
    """Records of one registered chunk that await handling, under the generation of their delivery."""

    state: "ShardState"
    generation: int
    span: Span
    chunk: Chunk
    indexes: range | list[int]

    @property
    def current(self) -> bool:
        """Tell whether outcomes of these deliveries still settle anything."""
        return self.generation == self.state.generation

    def rest(self, indexes: range | list[int]) -> "Slice":
        """Return the part of the slice that is still to be handled."""
        return Slice(self.state, self.generation, self.span, self.chunk, indexes)


class ShardState:
    """What a worker remembers of a shard that it holds.

    `generation` grows at every move; outcomes and saves of an older one are void. `target` is
    where reading must move to next; while it is set nothing is registered and nothing saved.
    `sought` tells that a handler has moved it and that no save has followed. `unchecked` tells that a
    rewind has moved it, maybe to where a parent must be read first: it isn't read before that is known.
    """

    def __init__(self, shard: Shard, placed: Placed) -> None:
        self.shard = shard
        self.checkpoint = placed.lease.checkpoint
        self.epoch = placed.lease.epoch
        self.generation = 0
        self.target: int | None = placed.position
        self.full = False
        self.sought = False
        self.unchecked = False
        self.newly_held: list[Held] = []
        self._stored: int | None = placed.lease.position
        self._begin(placed.position)

    def _begin(self, position: int) -> None:
        self.watermark = Watermark(position)
        self._first = position != self._stored

    def register(self, chunk: Chunk) -> Slice:
        """Note a chunk as delivered and return it as work."""
        span = self.watermark.register(chunk)
        return Slice(self, self.generation, span, chunk, range(len(chunk)))

    def void(self) -> None:
        """Make every outcome of what was delivered so far worthless."""
        self.generation += 1

    def move(self, position: int) -> None:
        """Void what was delivered and ask for reading to move; the checkpoint may go backwards."""
        self.void()
        self.target = position
        # A save may be on its way: what the row says is known only after the next one.
        self._stored = None

    def seek(self, position: int) -> None:
        """Move as a handler asked; not durable before the next save.

        A move of somebody else stands that reading hasn't followed yet: a rewind was adopted while the
        handler ran, so its delivery is void.
        """
        if self.target is None or self.sought:
            self.move(position)
            self.sought = True

    def adopt(self, epoch: int, position: int) -> None:
        """Accept a rewind that somebody wrote into the row."""
        self.epoch = epoch
        self.unchecked = True
        self.move(position)
        self.sought = False
        self._stored = position

    def restart(self) -> int:
        """Begin anew at the target, which is returned; the first save compares the epoch only."""
        assert self.target is not None, "only a shard that was moved restarts"
        position, self.target = self.target, None
        self.full = False
        self.newly_held.clear()
        self._begin(position)
        return position

    def snapshot(self) -> Snapshot | None:
        """Return what is to be saved now, or None when the row says so already."""
        if self.target is not None:
            return None
        position = self.watermark.lowest()
        if position == self._stored and not self._first:
            return None
        return Snapshot(self, self.generation, Save(self.checkpoint, self.epoch, position, self._first))

    def saved(self, snapshot: Snapshot) -> None:
        """Remember that a snapshot has reached the row, unless the shard has moved since."""
        if snapshot.generation == self.generation:
            self._stored = snapshot.save.position
            self._first = False
            self.sought = False

    def sample(self, behind: Behind) -> Sample:
        """Return the lag of the watermark: what reading lacks, and what was read and isn't settled."""
        records = None if behind.records is None else behind.records + self.watermark.ahead()
        return Sample(self.checkpoint, self.watermark.next, records, behind.milliseconds)

    def hold(self, span: Span, index: int, position: int, reason: str) -> None:
        """Leave one record unsettled and remember it for the admin."""
        span.hold(index)
        self.newly_held.append(Held(self.checkpoint, position, reason))
