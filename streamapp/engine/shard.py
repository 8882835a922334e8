"""One shard in one worker: its fence, its generation and its watermark."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from streamapp.brokers.base import Behind, Chunk
from streamapp.engine.held_notes import HeldNotes
from streamapp.engine.settled import MOST_RANGES, NONE, Ranges, recalled, written
from streamapp.engine.span import Indexes, Span
from streamapp.engine.watermark import NOTHING, Watermark
from streamapp.records import Shard
from streamapp.store.checkpoints import Exchange, Place, Save
from streamapp.store.failed import Claimed
from streamapp.store.lags import Sample
from streamapp.store.leases import Taken
from streamapp.store.records import Held

if TYPE_CHECKING:
    from streamapp.engine.waits import Waits


@dataclass(frozen=True, slots=True)
class Placed:
    """A lease that was taken, with where to read from; usually what the row says.

    `anew` tells that all from there on is delivered, whatever the row remembers as settled: a replay may
    begin at the very place where the row stands.
    """

    lease: Taken
    position: int
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a subscription keeps beside its positions.

    `settled`: also which records behind a checkpoint are settled. `exact`: every write of a row
    names what the row must say before it, because a handler's transaction depends on it.
    """

    settled: bool = False
    exact: bool = False
    waits: Callable[[], "Waits"] | None = None
    """Makes what keeps the records that wait behind held ones; None: none waits."""


class Snapshot(NamedTuple):
    """What is to be written, with the generation that it belongs to."""

    state: "ShardState"
    generation: int
    place: Place
    first: bool

    @property
    def save(self) -> Save:
        """Return the write that only moves forwards."""
        return Save(self.state.checkpoint, self.state.epoch, self.place, self.first)


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

    def values(self) -> list[bytes | None]:
        """Return the payloads of the records, in order; a part of a chunk doesn't cost the whole."""
        if isinstance(self.indexes, range):
            return self.chunk.values(self.indexes.start, self.indexes.stop)
        return list(map(self.chunk.value, self.indexes))

    def rest(self, indexes: range | list[int]) -> "Slice":
        """Return the part of the slice that is still to be handled."""
        return Slice(self.state, self.generation, self.span, self.chunk, indexes)


class ShardState:
    """What a worker remembers of a shard that it holds.

    `generation` grows at every move; outcomes and saves of an older one are void. `target` is
    where reading must move to next; while it is set nothing is registered and nothing saved.
    `sought` tells that a handler has moved it and that no save has followed. `unchecked` tells that a
    parent may have to be read first, after a rewind or a take: it isn't read before that is known.
    `fresh` tells that it was moved and has brought no record since.
    `paused` tells that an operator wants nothing of it to be handled: no call starts, what is on its way
    is settled and saved. `skips` are records that an operator retires, `retired` those of them that were.
    `writing` is held by whoever writes the row of a subscription that keeps it exact, and is taken
    before any other lock.
    """

    claimed: Claimed | None = None
    """The row that a copy comes from; None for what is read from a log."""
    alone = False
    """Whether no batch has records of others beside its own."""
    stranded = False
    """Whether a record is held because the place where it should go didn't take it."""

    def __init__(self, shard: Shard, placed: Placed, keeping: Keeping = Keeping()) -> None:
        self.shard = shard
        self.checkpoint = placed.lease.checkpoint
        self.epoch = placed.lease.epoch
        self.generation = 0
        self.target: int | None = placed.position
        self.full = False
        self.sought = False
        self.unchecked = False
        self.fresh = False
        self.notes = HeldNotes()
        self.paused = False
        self.skips: frozenset[int] = frozenset()
        self.writing = Lock()
        self._keeping = keeping
        self._stored: Place | None = placed.lease.place
        self._recall = None if placed.anew else placed.lease.place
        self._begin(placed.position)

    def _begin(self, position: int) -> None:
        self.watermark = Watermark(position)
        self.waits = self._keeping.waits() if self._keeping.waits else None
        self.retired: set[int] = set()
        self._first = self._stored is None or self._stored.position != position
        recall = self._recall
        stands = self._keeping.settled and recall is not None and recall.position == position
        # Settled in an earlier reading, and not delivered again yet.
        self._known = recalled(self.shard, recall) if stands and recall else NONE

    def register(self, chunk: Chunk) -> Slice | None:
        """Note a chunk as delivered; return as work what of it isn't known to be settled."""
        span = self.watermark.register(chunk)
        indexes: range | list[int] = range(len(chunk))
        if self._known or self.skips:
            settled = [index for index in indexes if self._is_settled(chunk.position(index))]
            self._known = self._known.since(chunk.end)
            if settled:
                span.settle_all(settled)
                indexes = sorted({*indexes} - {*settled})
        return Slice(self, self.generation, span, chunk, indexes) if indexes else None

    def _is_settled(self, position: int) -> bool:
        if position in self.skips:
            self.retired.add(position)
            return True
        return position in self._known

    def retire(self) -> frozenset[int]:
        """Settle those records to skip that are held here; return all that were since the last move."""
        if self.target is not None:
            return frozenset()
        for position in self.skips - self.retired:
            if self.watermark.retire(position):
                self.retired.add(position)
                if self.waits:
                    self.waits.end_at(position)
        self.notes.forget(self.retired)
        return frozenset(self.retired)

    def void(self) -> None:
        """Make every outcome of what was delivered so far worthless."""
        self.generation += 1

    def move(self, position: int) -> None:
        """Void what was delivered and ask for reading to move; the checkpoint may go backwards.

        What is remembered as settled is forgotten: all from the position on is delivered.
        """
        self.void()
        self.target = position
        self._recall = None
        if not self._keeping.exact:
            # A save may be on its way: what the row says is known only after the next one.
            self._stored = None

    def skip(self, position: int) -> None:
        """Move to where the log has records, and still deliver only what isn't settled."""
        ranges = self._settled(NOTHING)[1]
        self.move(position)
        self._recall = Place(position, written(ranges.since(position), position))

    def seek(self, position: int) -> None:
        """Move as a handler asked; not durable before the next save.

        A move of somebody else stands that reading hasn't followed yet: a rewind was adopted while the
        handler ran, so its delivery is void.
        """
        if self.target is None or self.sought:
            self.move(position)
            self.sought = True

    def adopt(self, epoch: int, place: Place) -> None:
        """Accept what somebody else wrote into the row: a rewind, or a write whose reply was lost."""
        self.epoch = epoch
        self.unchecked = True
        self.move(place.position)
        self.sought = False
        self._stored = self._recall = place

    def restart(self) -> int:
        """Begin anew at the target, which is returned; the first save compares the epoch only."""
        assert self.target is not None, "only a shard that was moved restarts"
        position, self.target = self.target, None
        self.full = False
        self.fresh = True
        self.notes.clear()
        self._begin(position)
        # A row that is kept exact says where a seek went as soon as its handler's transaction has ended.
        self.sought = self.sought and self._first
        return position

    def snapshot(self) -> Snapshot | None:
        """Return what is to be saved now, or None when the row says so already."""
        if self.target is not None:
            return None
        place = self.place()
        if place == self._stored and not self._first:
            return None
        return Snapshot(self, self.generation, place, self._first)

    def is_saved(self) -> bool:
        """Tell whether everything delivered is settled, and the row says so."""
        return self.target is None and not self.watermark.ahead() and self.snapshot() is None

    def place(self, also: Mapping[Span, Indexes] = NOTHING) -> Place:
        """Return what the row should say, as if the records of `also` were settled too."""
        if not self._keeping.settled:
            return Place(self.watermark.lowest())
        position, ranges = self._settled(also)
        return Place(position, written(ranges, position))

    def _settled(self, also: Mapping[Span, Indexes]) -> tuple[int, Ranges]:
        position, ranges = self.watermark.place(also)
        return position, Ranges([*ranges, *self._known.since(self.watermark.next)])

    def is_scattered(self) -> bool:
        """Tell whether what is settled behind the checkpoint makes too many ranges to store more.

        What an earlier reading has stored is read through in any case: only that can make it fewer.
        """
        if not self._keeping.settled or self._known:
            return False
        return len(self._settled(NOTHING)[1]) > MOST_RANGES

    def saved(self, snapshot: Snapshot) -> None:
        """Remember that a snapshot of this generation has reached the row."""
        self.exchanged(snapshot.place)
        self.sought = False

    def exchange(self, new: Place) -> Exchange:
        """Return the write that a row takes only if it still says what was last written."""
        assert self._stored is not None, "a row that is kept exact is always known"
        return Exchange(self.checkpoint, self.epoch, self._stored, new)

    def exchanged(self, place: Place) -> None:
        """Remember what the row says."""
        self._stored = place
        self._first = False

    def differs(self, place: Place) -> bool:
        """Tell whether a row that is kept exact says something else than was last written."""
        return self._keeping.exact and place != self._stored

    def sample(self, behind: Behind) -> Sample:
        """Return the lag of the watermark: what reading lacks, and what was read and isn't settled."""
        records = None if behind.records is None else behind.records + self.watermark.ahead()
        return Sample(self.checkpoint, self.watermark.next, records, behind.milliseconds)

    def hold(self, part: Slice, index: int, reason: str) -> bool:
        """Leave one record unsettled and remember it for the admin; False if a move has voided it."""
        with self.notes.lock:
            if not part.current:
                return False
            if self.waits:
                self.waits.block(part, index)
            part.span.hold(index)
            self.notes.held(Held(self.checkpoint, part.chunk.position(index), reason))
        return True

    def settled_late(self, single: Slice) -> None:
        """Note that a held record was settled after all: it isn't shown, and what waits for it goes on."""
        (index,) = single.indexes
        self.notes.settled(single.chunk.position(index))
        if self.waits:
            self.waits.end(single)
