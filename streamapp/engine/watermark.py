"""The watermark of one shard: the lowest delivered and unsettled record, or the next one to read.

It knows what was delivered, not which numbers might exist: a gap is never work. It belongs to one
generation of one shard and is thrown away with it, so nothing of an old assignment survives.

Threads: the lane settles while the saver asks. Registering and asking happen under the
subscription's lock; settling in order is one attribute write and needs none.
"""

from bisect import insort
from collections import deque

from streamapp.brokers.base import Chunk
from streamapp.positions import SHARD_END
from streamapp.records import Bounds


class Span:
    """A registered chunk, and which of its records are settled.

    Records below `cursor` are settled, except those in `held`; records from `cursor` on are not,
    except those in `_early`. `end` is the place behind the chunk.
    """

    __slots__ = ("_early", "before", "chunk", "cursor", "held", "size")

    def __init__(self, chunk: Chunk, before: int) -> None:
        self.chunk: Chunk | None = chunk
        self.before = before
        self.cursor = 0
        self.held: list[int] = []
        self.size = len(chunk)
        self._early: set[int] = set()

    @property
    def complete(self) -> bool:
        """Tell whether every record is settled."""
        return self.lowest == self.size

    @property
    def lowest(self) -> int:
        """Return the index of the first unsettled record, or `size`."""
        return min(self.held[0], self.cursor) if self.held else self.cursor

    def settle(self, index: int) -> None:
        """Settle one record, in any order."""
        if index != self.cursor:
            self._early.add(index)
        elif self._early:
            self._advance()
        else:
            self.cursor = index + 1

    def settle_all(self, indexes: range | list[int]) -> None:
        """Settle several records; a chunk handled as a whole costs one step."""
        if self.cursor == indexes[0] and len(indexes) == self.size - self.cursor and not self._early:
            self.cursor = self.size
        else:
            for index in indexes:
                self.settle(index)

    def hold(self, index: int) -> None:
        """Pass over one record and leave it unsettled; those before it must have been dealt with."""
        insort(self.held, index)
        if index == self.cursor:
            self._advance()
        else:
            self._early.add(index)

    def _advance(self) -> None:
        cursor = self.cursor + 1
        while cursor in self._early:
            self._early.discard(cursor)
            cursor += 1
        self.cursor = cursor


class Watermark:
    """What was delivered of one shard since it was opened at `position`."""

    def __init__(self, position: int) -> None:
        self._spans: deque[Span] = deque()
        self._delivered = 0
        self.next = position
        """The next record to read: where the log was read to."""
        self._asked = float("-inf")

    def register(self, chunk: Chunk) -> Span:
        """Note records as delivered; they are unsettled from now on."""
        span = Span(chunk, self._delivered)
        self._delivered += len(chunk)
        self._spans.append(span)
        self.next = chunk.end
        return span

    def reach(self, position: int, asked: float | None = None) -> None:
        """Note that the log holds nothing between the last record and `position`.

        `asked` is when the reader asked for the end, by time.monotonic(), if it says so.
        """
        self.next = max(self.next, position)
        if asked is not None:
            self._asked = asked

    def is_past(self, bounds: Bounds, looked: float) -> bool:
        """Tell whether all was delivered that the log held when its bounds were looked at.

        `looked` is the moment of that look, by time.monotonic().
        """
        if bounds.is_moment and self.next != SHARD_END:
            return self._asked >= looked
        return self.next >= bounds.end

    def lowest(self) -> int:
        """Return the position that a checkpoint may take."""
        oldest = self._oldest()
        if oldest is None:
            return self.next
        span, index = oldest
        assert span.chunk is not None, "only complete spans let their chunk go"
        return span.chunk.position(index)

    def ahead(self) -> int:
        """Return how many records were delivered from the oldest unsettled one on."""
        oldest = self._oldest()
        return 0 if oldest is None else self._delivered - oldest[0].before - oldest[1]

    def free_memory(self) -> None:
        """Let go of the records of complete spans that wait behind a held one."""
        for span in self._spans:
            if span.complete:
                span.chunk = None

    def _oldest(self) -> tuple[Span, int] | None:
        """Find the oldest unsettled record; the lane may settle it at this very moment."""
        while self._spans:
            head = self._spans[0]
            index = head.lowest
            if index < head.size:
                return head, index
            self._spans.popleft()
        return None
