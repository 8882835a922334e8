"""One lane: the thread that polls calls the handler itself.

Handing records to another thread would cost more than it gains where calls aren't waiting.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

from streamapp.engine.gate import Gate
from streamapp.engine.handling import Handling
from streamapp.engine.lanes.base import Lanes
from streamapp.engine.moving import Moves
from streamapp.engine.saving import Saver
from streamapp.engine.shard import ShardState, Slice
from streamapp.engine.work import Backlog, Work, batches
from streamapp.mount import Mount
from streamapp.records import Shard


class OneLane(Lanes):
    """Handles records in the thread that calls `work`."""

    def __init__(
        self,
        mount: Mount,
        handling: Handling,
        moves: Moves,
        gate: Gate,
        saver: Saver,
        clock: Callable[[], float],
    ) -> None:
        self.handling = handling
        self._mount = mount
        self._moves = moves
        self._gate = gate
        self._saver = saver
        self._clock = clock
        self._backlog = Backlog()
        self._at_work = False

    def add(self, slices: Sequence[Slice]) -> None:
        """Queue records behind what waits of their shards."""
        for work in self._works(slices, self._backlog.shards()):
            self._backlog.add(work)

    def resume(self, states: Iterable[ShardState]) -> None:
        """Queue what has waited in front of all else; no call runs meanwhile."""
        waits = [state.waits for state in states if state.waits]
        for parts in [each.take(line) for each in waits for line in each.ended()]:
            for part in reversed(parts):
                self._backlog.add_first(Work((part,)))

    def work(self) -> None:
        """Call the handler until nothing is due, or none may start before something is looked at."""
        self._at_work = True
        while self._gate.enter() and (work := self._backlog.take(self._clock())):
            left: Work | None = work
            try:
                left = self.handling.handle(work)
            finally:
                if left and left.slices:
                    self._backlog.add_first(left)
            if self._moves.take_asked():
                self._saver.look_once()
        self._at_work = False

    def patience(self, timeout: float) -> float:
        """Wait no longer than until a retry is due."""
        due = self._backlog.next_due()
        return timeout if due is None else max(0.0, min(timeout, due - self._clock()))

    def waiting(self) -> set[Shard]:
        """Return the shards that have something waiting."""
        return {state.shard for state in self._backlog.shards()}

    def drain(self, shards: Collection[Shard], seconds: float) -> None:
        """Do nothing: whoever calls this isn't in a call."""

    def clear(self) -> None:
        """Forget what waits."""
        self._backlog.clear()

    def close(self) -> None:
        """Do nothing: whoever calls this isn't in a call."""

    @property
    def calling(self) -> bool:
        """Return False: whoever asks isn't in a call."""
        return False

    @property
    def busy(self) -> bool:
        """Tell whether work is being handled, or waits to be handled or tried again."""
        return self._at_work or bool(self._backlog)

    def _works(self, slices: Sequence[Slice], waiting: set[ShardState]) -> list[Work]:
        """Make batches of what may be handled now, and apart from it of everything else, chunk by chunk."""
        if not self._mount.batch:
            return [Work((part,)) for part in slices]
        free = [part for part in slices if part.state not in waiting]
        blocked = [part for part in slices if part.state in waiting]
        alone = (work for part in blocked for work in batches([part], self._mount.batch))
        return [*batches(free, self._mount.batch), *alone]
