"""Writing rows that a handler's transaction depends on: each write names what the row must say before it.

A commit whose reply was lost may have happened. Then the row doesn't say what this worker believes,
the next write is refused, and the shard is read anew from what the row does say.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from streamapp.engine.holdings import Holdings
from streamapp.engine.shard import ShardState, Slice
from streamapp.engine.span import Span
from streamapp.exceptions import StreamappError
from streamapp.store import Store
from streamapp.store.checkpoints import Place
from streamapp.store.failed import Claimed


class Superseded(StreamappError):
    """A record's row isn't this worker's any more, or says something else: nothing may be committed."""


class Committer:
    """Writes the rows of one subscription, each by one thread at a time.

    `writing` is taken in the order of the rows, before the subscription's lock and before the rows'
    own, so that lanes, the saver and a rewind never wait for each other in a circle.
    """

    def __init__(self, holdings: Holdings, store: Store) -> None:
        self._holdings = holdings
        self._store = store

    @contextmanager
    def writing(self, states: Iterable[ShardState]) -> Iterator[list[ShardState]]:
        """Let nobody else write these rows meanwhile; yields them in the order of the rows."""
        ordered = sorted(set(states), key=lambda state: state.checkpoint)
        with ExitStack() as locks:
            for state in ordered:
                locks.enter_context(state.writing)
            yield ordered

    def places(self, settled: Sequence[Slice]) -> dict[ShardState, Place]:
        """Return what the rows will say once these records are settled; sought shards say their targets.

        Raises Superseded when one of them was moved by somebody else meanwhile.
        """
        with self._holdings.lock:
            return {part.state: _place(part, settled) for part in settled}

    def write(self, places: Mapping[ShardState, Place]) -> None:
        """Write rows inside the open transaction; raises Superseded unless all of them are as believed."""
        exchanges = [state.exchange(place) for state, place in places.items() if not state.claimed]
        moved = self._store.checkpoints.exchange(exchanges) if exchanges else set()
        if len(moved) < len(exchanges):
            raise Superseded("Another worker or an operator has written these checkpoints.")
        self._finish([state.claimed for state in places if state.claimed])

    def _finish(self, copies: Sequence[Claimed]) -> None:
        claims = {claimed.id: claimed.claim for claimed in copies}
        if claims and len(self._store.delayed.finish(claims)) < len(claims):
            raise Superseded("Another worker has claimed these copies.")

    def confirm(self, settled: Sequence[Slice], places: Mapping[ShardState, Place]) -> None:
        """Settle what was committed; to be called before anybody else may write the rows."""
        with self._holdings.lock:
            for part in settled:
                part.span.settle_all(part.indexes)
            for state, place in places.items():
                state.exchanged(place)
                self._holdings.mirror(state, place)

    def settled_late(self, part: Slice) -> None:
        """Note that a record was settled that was held, unless its shard was moved meanwhile."""
        with self._holdings.lock:
            if part.current:
                part.state.settled_late(part)

    def save(self, states: Iterable[ShardState]) -> None:
        """Write what rows don't say yet, outside of any handler's transaction; adopts where that fails."""
        with self.writing(states) as ordered:
            with self._holdings.lock:
                snapshots = [snapshot for state in ordered if (snapshot := state.snapshot())]
            exchanges = [snapshot.state.exchange(snapshot.place) for snapshot in snapshots]
            moved = self._store.checkpoints.exchange(exchanges) if exchanges else set()
            self._holdings.saved(each for each in snapshots if each.state.checkpoint in moved)
            self._adopt([each.state for each in snapshots if each.state.checkpoint not in moved])

    def let_go(self, part: Slice) -> None:
        """Void a copy whose claim was lost; else adopt what all rows say. Raises django.db.Error."""
        if part.state.claimed:
            part.state.void()
        else:
            self.read_back()

    def read_back(self) -> None:
        """Adopt what all rows say; raises django.db.Error."""
        with self._holdings.lock:
            states = list(self._holdings.states.values())
        with self.writing(states) as ordered:
            self._adopt(ordered)

    def _adopt(self, states: Sequence[ShardState]) -> None:
        if states:
            self._holdings.accept(self._store.checkpoints.read([state.checkpoint for state in states]))

    def hold_fast(self, parts: Sequence[Slice]) -> None:
        """Lock the rows until the transaction ends; raises Superseded unless their epochs are ours."""
        epochs = {part.state.checkpoint: part.state.epoch for part in parts if not part.state.claimed}
        if not epochs:
            return
        if self._store.checkpoints.locked_epochs(epochs) != epochs:
            raise Superseded("Another worker or an operator has written these checkpoints.")

    def unmoved(self, parts: Sequence[Slice]) -> list[Slice]:
        """Return those whose rows a rewind in the open transaction has left alone."""
        known = {part.state.checkpoint: part.state.epoch for part in parts}
        epochs = self._store.checkpoints.locked_epochs(known)
        moved = {row for row, epoch in epochs.items() if epoch != known[row]}
        return [part for part in parts if part.state.checkpoint not in moved]


def _place(part: Slice, settled: Sequence[Slice]) -> Place:
    state = part.state
    if part.current:
        also: dict[Span, list[int]] = {}
        for each in settled:
            if each.state is state:
                also.setdefault(each.span, []).extend(each.indexes)
        return state.place({span: sorted(indexes) for span, indexes in also.items()})
    if state.sought and state.target is not None:
        return Place(state.target)
    raise Superseded("The shard was moved while its record was handled.")
