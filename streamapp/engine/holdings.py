"""The shards that a worker holds for one subscription, shared by the lane and the saver."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from streamapp.brokers.reading import Behind, Chunk
from streamapp.engine.shard import Keeping, Placed, ShardState, Slice, Snapshot
from streamapp.records import Shard
from streamapp.store.checkpoints import Difference, Place
from streamapp.store.controls import Orders, SkipOrder
from streamapp.store.lags import Sample
from streamapp.store.records import Held


@dataclass(slots=True)
class Unsaved:
    """What is to be written in one go: moves first, then checkpoints, then held records."""

    worker: UUID
    moved: dict[int, int]
    begun: dict[int, int]
    snapshots: list[Snapshot]
    held: list[Held]
    settled: list[tuple[int, int]]
    """Of records that were held: checkpoint and position."""
    epochs: dict[int, int]


@dataclass(frozen=True, slots=True)
class Retired:
    """An order to skip a record that was carried out, with the epoch under which its shard was held."""

    order: SkipOrder
    shard: Shard
    epoch: int


@dataclass(slots=True)
class Holdings:
    """Which shards are held, under which identity, and what happened to them lately.

    Threads: every method takes the lock for a moment and never waits for I/O under it.
    """

    worker: UUID
    keeping: Keeping = field(default_factory=Keeping)
    lock: threading.RLock = field(default_factory=threading.RLock)
    states: dict[Shard, ShardState] = field(default_factory=dict)
    orders: Orders = field(default_factory=Orders)
    """What operators want, by the last look."""
    _moved: dict[int, int] = field(default_factory=dict)
    _begun: dict[int, int] = field(default_factory=dict)
    _fenced: list[Shard] = field(default_factory=list)
    _mirrored: dict[Shard, int] = field(default_factory=dict)
    _advanced: dict[Shard, int] = field(default_factory=dict)

    def add(self, placed: Mapping[Shard, Placed]) -> None:
        """Hold shards from now on; each has to move to its place first."""
        with self.lock:
            states = {shard: ShardState(shard, place, self.keeping) for shard, place in placed.items()}
            self.states.update(states)
            self._follow(states.values())

    def drop(self, shards: Iterable[Shard]) -> list[int]:
        """Hold shards no longer and void what runs; returns their checkpoints."""
        with self.lock:
            dropped = [self.states.pop(shard) for shard in list(shards) if shard in self.states]
            for state in dropped:
                state.void()
                self._moved.pop(state.checkpoint, None)
                self._begun.pop(state.checkpoint, None)
                self._mirrored.pop(state.shard, None)
            return [state.checkpoint for state in dropped]

    def obey(self, orders: Orders) -> None:
        """Follow what operators want from now on: shards that are paused, records that are skipped."""
        with self.lock:
            self.orders = orders
            self._follow(self.states.values())

    def _follow(self, states: Iterable[ShardState]) -> None:
        for state in states:
            state.paused = self.orders.is_paused(state.checkpoint)
            state.skips = self.orders.skipped(state.checkpoint)

    def retire(self) -> list[Retired]:
        """Settle held records that are to be skipped; returns the orders that are carried out.

        Also those that the stored checkpoint has passed since: a handler's transaction may have written it.
        """
        with self.lock:
            states = {state.checkpoint: state for state in self.states.values()}
            retired = {checkpoint: state.retire() for checkpoint, state in states.items()}
            carried_out = [
                (order, states[order.checkpoint])
                for order in self.orders.skips
                if order.position in retired.get(order.checkpoint, ())
            ]
            return [Retired(order, state.shard, state.epoch) for order, state in carried_out]

    def undo_seeks(self, shards: Iterable[Shard]) -> None:
        """Save nothing of shards that were sought and not saved since: the next owner isn't to follow."""
        with self.lock:
            for state in [self.states[shard] for shard in shards if shard in self.states]:
                if state.sought:
                    state.move(state.watermark.next)

    def void(self, worker: UUID) -> None:
        """Make every outcome of what runs worthless, because the leases may be somebody else's.

        Nothing happens if it runs under another identity by now: that one's life has only begun, and
        what is voided without a move is never delivered again.
        """
        with self.lock:
            for state in self.states.values() if self.worker == worker else ():
                state.void()

    def nothing(self) -> Unsaved:
        """Return that nothing is to be written."""
        return Unsaved(self.worker, {}, {}, [], [], [], {})

    def unsaved(self) -> Unsaved:
        """Collect what the rows don't say yet."""
        with self.lock:
            states = list(self.states.values())
            snapshots = [snapshot for state in states if (snapshot := state.snapshot())]
            settled = [state for state in states if state.target is None]
            notes = [(state.checkpoint, *state.notes.take()) for state in settled]
            held = [record for _, records, _ in notes for record in records]
            late = [(checkpoint, position) for checkpoint, _, ended in notes for position in ended]
            moved, self._moved = self._moved, {}
            begun, self._begun = self._begun, {}
            epochs = {state.checkpoint: state.epoch for state in states}
            return Unsaved(self.worker, moved, begun, snapshots, held, late, epochs)

    def give_back(self, unsaved: Unsaved) -> None:
        """Take back what could not be written; checkpoints are collected anew anyway."""
        with self.lock:
            by_checkpoint = {state.checkpoint: state for state in self.states.values()}
            self._moved = {**unsaved.moved, **self._moved}
            self._begun = {**unsaved.begun, **self._begun}
            for record in unsaved.held:
                if record.checkpoint in by_checkpoint and record.checkpoint not in self._moved:
                    by_checkpoint[record.checkpoint].notes.give_back([record], ())
            for checkpoint, position in unsaved.settled:
                if checkpoint in by_checkpoint and checkpoint not in self._moved:
                    by_checkpoint[checkpoint].notes.give_back((), [position])

    def saved(self, snapshots: Iterable[Snapshot]) -> None:
        """Note which snapshots the rows hold; one from before a move says nothing of what came after."""
        with self.lock:
            for snapshot in snapshots:
                if snapshot.generation == snapshot.state.generation:
                    snapshot.state.saved(snapshot)
                    self.mirror(snapshot.state, snapshot.place)

    def mirror(self, state: ShardState, place: Place) -> None:
        """Note that the broker should know a position that was written."""
        with self.lock:
            if self.states.get(state.shard) is state:
                self._mirrored[state.shard] = self._advanced[state.shard] = place.position

    def accept(self, differences: Iterable[Difference]) -> tuple[list[ShardState], list[ShardState]]:
        """Adopt what a rewind wrote and let go of what somebody else took; returns both."""
        with self.lock:
            by_checkpoint = {state.checkpoint: state for state in self.states.values()}
            known = [(by_checkpoint[d.checkpoint], d) for d in differences if d.checkpoint in by_checkpoint]
            rewound = [
                (state, d)
                for state, d in known
                if d.worker == self.worker
                and (d.epoch > state.epoch or (d.epoch == state.epoch and state.differs(d.place)))
            ]
            fenced = [state for state, d in known if d.worker != self.worker and d.epoch >= state.epoch]
            for state, difference in rewound:
                state.adopt(difference.epoch, difference.place)
            self._fenced += [state.shard for state in fenced]
            self.drop([state.shard for state in fenced])
            return [state for state, _ in rewound], fenced

    def samples(self, lags: Mapping[Shard, Behind]) -> list[Sample]:
        """Return the lags of shards that are held and don't move; what is delivered and unsettled counts."""
        with self.lock:
            states = [(self.states[shard], behind) for shard, behind in lags.items() if shard in self.states]
            return [state.sample(behind) for state, behind in states if state.target is None]

    def targets(self) -> dict[Shard, int]:
        """Return the shards that have to move and may, and where to."""
        with self.lock:
            checked = [state for state in self.states.values() if not state.unchecked]
            return {state.shard: state.target for state in checked if state.target is not None}

    def unchecked(self) -> dict[Shard, int]:
        """Return the epochs of the shards whose parents weren't looked at since they came here or moved."""
        with self.lock:
            return {state.shard: state.epoch for state in self.states.values() if state.unchecked}

    def uncheck(self, shards: Iterable[Shard]) -> None:
        """Read these shards only once it is known that no parent stands in their way."""
        with self.lock:
            for state in [self.states[shard] for shard in shards if shard in self.states]:
                state.unchecked = True

    def check(self, epochs: Mapping[Shard, int]) -> None:
        """Let the shards move whose epochs are still these: no parent stands in their way."""
        with self.lock:
            for shard, epoch in epochs.items():
                state = self.states.get(shard)
                if state is not None and state.epoch == epoch:
                    state.unchecked = False

    def restart(self, targets: Mapping[Shard, int]) -> None:
        """Begin anew the shards that are now read from their targets, unless they must move again."""
        with self.lock:
            for shard, position in targets.items():
                state = self.states.get(shard)
                if state is not None and state.target == position:
                    state.restart()
                    self._moved[state.checkpoint] = state.epoch

    def register(self, chunk: Chunk) -> Slice | None:
        """Note a chunk as delivered, unless its shard is not held or has to move; return what is work."""
        with self.lock:
            state = self.states.get(chunk.shard)
            if state is None or state.target is not None:
                return None
            if state.fresh:
                state.fresh = False
                self._begun[state.checkpoint] = state.epoch
            return state.register(chunk)

    def take_fenced(self) -> list[Shard]:
        """Return, once, the shards that somebody else has taken."""
        with self.lock:
            fenced, self._fenced = self._fenced, []
            return fenced

    def take_advanced(self) -> dict[Shard, int]:
        """Return, once, the positions that were written lately."""
        with self.lock:
            advanced, self._advanced = self._advanced, {}
            return advanced

    def take_mirrored(self) -> dict[Shard, int]:
        """Return, once, the saved positions that the broker should know."""
        with self.lock:
            mirrored, self._mirrored = self._mirrored, {}
            return mirrored
