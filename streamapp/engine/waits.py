"""What waits behind held records, by HOLD: later records of the same key, or of the whole shard.

They wait beside the lanes, in order, and go in front of whatever a lane may do next once every held
record before them has come to an end.
"""

import threading
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Literal

from streamapp.engine.shard import Slice
from streamapp.engine.span import Span
from streamapp.engine.work import Work

Line = Hashable
"""A key, or for a whole shard always the same."""
WHOLE_SHARD: Line = object()
Place = tuple[Span, int]


class Waits:
    """The lines of one shard in one generation; safe for threads.

    A line is blocked from the hold on until `take` has returned what waits in it, which happens when
    nothing else of it runs: so nothing overtakes. All lines of one strand of the lanes.
    """

    def __init__(self, by: Literal["key", "shard"]) -> None:
        self._by_key = by == "key"
        self._lock = threading.Lock()
        self._held: dict[Line, dict[Place, Slice]] = {}
        self._waiting: dict[Line, list[Slice]] = {}
        self._ended: dict[Line, Slice] = {}

    def block(self, part: Slice, index: int) -> None:
        """Let later records wait from now on, because this one is held."""
        with self._lock:
            held = self._held.setdefault(self._line(part, index), {})
            held[part.span, index] = part.rest([index])

    def sift(self, part: Slice) -> Slice | None:
        """Return what of a slice may be handled now; the rest waits."""
        if not self._held:
            return part
        with self._lock:
            blocked: dict[Line, list[int]] = {}
            free: list[int] = []
            for index in part.indexes:
                line = self._line(part, index)
                (blocked.setdefault(line, []) if line in self._held else free).append(index)
            for line, indexes in blocked.items():
                self._waiting.setdefault(line, []).append(part.rest(indexes))
        return part.rest(free) if free else None

    def end(self, single: Slice) -> None:
        """Note that a held record came to an end; the last one of its line ends the line."""
        (index,) = single.indexes
        with self._lock:
            line = self._line(single, index)
            held = self._held.get(line, {})
            if held.pop((single.span, index), None) and not held:
                self._ended[line] = single

    def end_at(self, position: int) -> None:
        """Note the same of the record at a position."""
        with self._lock:
            held = [single for line in self._held.values() for single in line.values()]
        for single in held:
            if single.chunk.position(single.indexes[0]) == position:
                self.end(single)

    def ended(self) -> dict[Line, Slice]:
        """Return, once, the lines in which nothing is held any more, each with a record that was held."""
        if not self._ended:
            return {}
        with self._lock:
            ended, self._ended = self._ended, {}
            return ended

    def take(self, line: Line) -> Sequence[Slice]:
        """Unblock a line and return, in order, what has waited in it; nothing if it is blocked anew."""
        with self._lock:
            if self._held.get(line):
                return ()
            self._held.pop(line, None)
            return self._waiting.pop(line, [])

    def _line(self, part: Slice, index: int) -> Line:
        return part.chunk.record(index).key if self._by_key else WHOLE_SHARD


def sifted(work: Work) -> Work:
    """Return what of some work may be handled now."""
    pairs = ((part, part.state.waits) for part in work.slices if part.current)
    free = (waits.sift(part) if waits else part for part, waits in pairs)
    return replace(work, slices=tuple(part for part in free if part))
