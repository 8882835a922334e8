"""Writes down what becomes of every record, beside the production code that decides it."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from streamapp.engine.calling import Call
from streamapp.engine.handling import Handling, Surroundings
from streamapp.engine.parts import handling_kind
from streamapp.engine.shard import ShardState, Slice
from streamapp.engine.span import Span
from streamapp.engine.work import Work
from streamapp.mount import Mount
from streamapp.outcomes import ACK, Outcome
from streamapp.testing.deliveries import Delivery, Waiting


class Note(NamedTuple):
    """A delivery with the slice that it was a part of, which knows whether it still counts."""

    delivery: Delivery
    part: Slice


class Journal:
    """The deliveries of one worker since it started."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.notes: list[Note] = []
        self.begun = 0
        """How often work was taken up."""
        self._clock = clock
        self._left: dict[ShardState, tuple[Mount, Work]] = {}

    def handling(self, mount: Mount, call: Call, surroundings: Surroundings) -> Handling:
        """Make the handling that the mount has in production, with this journal beside it."""
        return _observed(handling_kind(mount))(mount, call, surroundings, self)

    def begin(self, work: Work) -> None:
        """Note that work is taken up, which may have waited."""
        self.begun += 1
        for state in work.shards():
            self._left.pop(state, None)

    def end(self, mount: Mount, work: Work, left: Work | None, told: dict[tuple[Span, int], Outcome]) -> None:
        """Note what became of each record of the work; `told` holds outcomes other than a plain ack."""
        first = work.slices[0].indexes[0]
        for part in work.slices:
            for index in part.indexes:
                if outcome := told.get((part.span, index)) or _acked(part, index):
                    attempt = work.attempt if mount.shape.is_batch or index == first else 1
                    delivery = Delivery(mount.name, part.chunk.record(index), outcome, attempt)
                    self.notes.append(Note(delivery, part))
        if left:
            self._left.update(dict.fromkeys(left.shards(), (mount, left)))

    def waiting(self) -> dict[ShardState, Waiting]:
        """Return the shards that wait until a retry is due, each with the record it waits for."""
        now = self._clock()
        return {
            state: Waiting(mount.name, state.shard, _position(work, state), work.attempt, work.due - now)
            for state, (mount, work) in self._left.items()
            if work.due > now and any(part.state is state for part in work.current().slices)
        }


class _Observed(Handling):
    def __init__(self, mount: Mount, call: Call, surroundings: Surroundings, journal: Journal) -> None:
        super().__init__(mount, call, surroundings)
        self._journal = journal
        self._told: dict[tuple[Span, int], Outcome] = {}

    def handle(self, work: Work) -> Work | None:
        self._journal.begin(work)
        left = super().handle(work)
        self._journal.end(self._mount, work, left, self._told)
        self._told.clear()
        return left

    def _settle(self, part: Slice, index: int, outcome: Outcome) -> None:
        if part.current:
            self._told[part.span, index] = outcome
        super()._settle(part, index, outcome)

    def _conclude(self, part: Slice, index: int, outcome: Outcome) -> None:
        if part.current:
            self._told[part.span, index] = outcome
        super()._conclude(part, index, outcome)


@cache
def _observed(kind: type[Handling]) -> Callable[..., Handling]:
    return type(f"Observed{kind.__name__}", (_Observed, kind), {})


def _acked(part: Slice, index: int) -> Outcome | None:
    """An ack is the one outcome that production code applies without a word: it shows in the span."""
    return ACK if index < part.span.cursor and index not in part.span.held else None


def _position(work: Work, state: ShardState) -> int:
    return next(part.chunk.position(part.indexes[0]) for part in work.slices if part.state is state)
