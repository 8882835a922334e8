"""The watermark of one shard: the lowest delivered and unsettled record, or the next one to read.

It knows what was delivered, not which numbers might exist: a gap is never work. It belongs to one
generation of one shard and is thrown away with it, so nothing of an old assignment survives.

Threads: lanes settle while the saver asks. Registering and asking happen under the subscription's
lock; settling is under the span's own.
"""

from collections import deque
from collections.abc import Iterator, Mapping

from streamapp.brokers.reading import Chunk
from streamapp.engine.settled import Range
from streamapp.engine.span import Indexes, Span
from streamapp.positions import SHARD_END
from streamapp.records import Bounds, Record

NOTHING: Mapping[Span, Indexes] = {}


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
        return self.next if oldest is None else oldest[0].position(oldest[1])

    def place(self, also: Mapping[Span, Indexes] = NOTHING) -> tuple[int, list[Range]]:
        """Return the position that a checkpoint may take, and which records behind it are settled.

        As if the records of `also` were settled too: what a transaction that is about to commit writes.
        """
        lowest: int | None = None
        ranges: list[Range] = []
        touching = False
        for settled, first, last in self._pieces(also):
            if not settled:
                lowest = first if lowest is None else lowest
            elif lowest is not None:
                ranges.append(Range(ranges.pop().first if touching else first, last))
            touching = settled
        return (self.next if lowest is None else lowest), ranges

    def _pieces(self, also: Mapping[Span, Indexes]) -> Iterator[tuple[bool, int, int]]:
        """Yield, in order, whether neighbouring records are settled, and the positions of first and last.

        Of unsettled ones only the first position counts; a span's last record touches the next one's first.
        """
        self._oldest()
        for span in self._spans:
            place = 0
            for first, last in span.runs(also.get(span, ())):
                if first > place:
                    yield False, span.position(place), span.position(place)
                yield True, span.position(first), span.position(last)
                place = last + 1
            if place < span.size:
                yield False, span.position(place), span.position(place)

    def oldest(self) -> Record | None:
        """Return the oldest unsettled record of those delivered."""
        oldest = self._oldest()
        chunk = oldest and oldest[0].chunk
        return chunk.record(oldest[1]) if oldest and chunk else None

    def retire(self, position: int) -> bool:
        """Settle a held record; False if the record isn't held."""
        return any(span.retire(position) for span in self._spans)

    def ahead(self) -> int:
        """Return how many records were delivered from the oldest unsettled one on."""
        oldest = self._oldest()
        return 0 if oldest is None else self._delivered - oldest[0].before - oldest[1]

    def free_memory(self) -> None:
        """Let go of the records of complete spans that wait behind a held one, and count them as one."""
        kept: deque[Span] = deque()
        for span in self._spans:
            if not (span.let_go() and kept and kept[-1].absorb(span)):
                kept.append(span)
        self._spans = kept

    def _oldest(self) -> tuple[Span, int] | None:
        """Find the oldest unsettled record; a lane may settle it at this very moment."""
        while self._spans:
            head = self._spans[0]
            index = head.lowest
            if index < head.size:
                return head, index
            self._spans.popleft()
        return None
