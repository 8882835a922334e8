"""A registered chunk, and which of its records are settled."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import pairwise
from threading import Lock

from streamapp.brokers.base import Chunk

Indexes = Sequence[int]


class Span:
    """Records below `cursor` are settled, except those in `held`; those from `cursor` on are not,
    except those in `_early`.
    """

    __slots__ = ("_early", "_first", "_last", "_lock", "before", "chunk", "cursor", "held", "size")

    def __init__(self, chunk: Chunk, before: int) -> None:
        self.chunk: Chunk | None = chunk
        self.before = before
        self.size = len(chunk)
        self.cursor = 0
        self.held: list[int] = []
        self._early: set[int] = set()
        self._first = chunk.position(0)
        self._last = chunk.position(self.size - 1)
        self._lock = Lock()

    @property
    def complete(self) -> bool:
        """Tell whether every record is settled."""
        return self.lowest == self.size

    @property
    def lowest(self) -> int:
        """Return the index of the first unsettled record, or `size`."""
        return min(self.held[0], self.cursor) if self.held else self.cursor

    def position(self, index: int) -> int:
        """Return the position of a record; of a complete span only of the first and the last."""
        if self.chunk is not None:
            return self.chunk.position(index)
        return self._last if index else self._first

    def is_passed(self, index: int) -> bool:
        """Tell whether a record came to an outcome, be it a hold."""
        return index < self.cursor or index in self._early

    def is_walk(self, indexes: Indexes) -> bool:
        """Tell whether these are, in order, all records that haven't come to an outcome.

        Whoever has them to handle is alone with them, so it may set `cursor` itself, without the lock,
        behind each record that it settles.
        """
        with self._lock:
            return not self._early and _follows(indexes, self.cursor) and indexes[-1] == self.size - 1

    def settle(self, index: int) -> None:
        """Settle one record, in any order; a held one too."""
        with self._lock:
            if index != self.cursor:
                if index in self.held:
                    self.held.remove(index)
                elif index > self.cursor:
                    self._early.add(index)
            elif self._early:
                self._advance()
            else:
                self.cursor = index + 1

    def settle_all(self, indexes: Indexes) -> None:
        """Settle several records; those that are next in order cost one step."""
        with self._lock:
            in_order = not self._early and _follows(indexes, self.cursor)
            if in_order:
                self.cursor = indexes[-1] + 1
        if not in_order:
            for index in indexes:
                self.settle(index)

    def hold(self, index: int) -> None:
        """Leave one record unsettled and go on behind it; once, though its batch may come again."""
        with self._lock:
            if index in self.held:
                return
            insort(self.held, index)
            if index == self.cursor:
                self._advance()
            else:
                self._early.add(index)

    def retire(self, position: int) -> bool:
        """Settle a held record; False if the record is none of these, or isn't held."""
        if self.chunk is None or not self._first <= position <= self._last:
            return False
        index = bisect_left(range(self.size), position, key=self.chunk.position)
        with self._lock:
            if index not in self.held or self.chunk.position(index) != position:
                return False
            self.held.remove(index)
            return True

    def runs(self, also: Indexes = ()) -> list[tuple[int, int]]:
        """Return the first and the last index of each run of settled records, as if `also` were too."""
        with self._lock:
            if not self._early and not self.held and (not also or _follows(also, self.cursor)):
                settled = self.cursor + len(also)
                return [(0, settled - 1)] if settled else []
            unsettled = {*range(self.cursor, self.size)} - self._early | {*self.held}
        return _between(sorted(unsettled - {*also}), self.size)

    def let_go(self) -> bool:
        """Forget the records if all are settled; tell whether they are."""
        if self.complete:
            self.chunk = None
        return self.chunk is None

    def absorb(self, later: "Span") -> bool:
        """Take in the span behind this one, if both are complete."""
        if not (self.complete and later.complete):
            return False
        self._last = later._last
        self.size = self.cursor = self.size + later.size
        return True

    def _advance(self) -> None:
        cursor = self.cursor + 1
        while cursor in self._early:
            self._early.discard(cursor)
            cursor += 1
        self.cursor = cursor


def _follows(indexes: Indexes, cursor: int) -> bool:
    return indexes[0] == cursor and indexes[-1] - indexes[0] + 1 == len(indexes)


def _between(gaps: list[int], size: int) -> list[tuple[int, int]]:
    """Return what lies between single indexes."""
    edges = [-1, *gaps, size]
    return [(low + 1, high - 1) for low, high in pairwise(edges) if high - low > 1]
