"""Puts a consumer together: the one place where the parts of the engine meet."""

from functools import cached_property, partial
from uuid import UUID

from streamapp.brokers.base import Broker
from streamapp.engine.assigning import Assigning
from streamapp.engine.calling import caller
from streamapp.engine.committing import Committer
from streamapp.engine.consumer import Consumer
from streamapp.engine.controls import Controls
from streamapp.engine.delays import Delays
from streamapp.engine.dry_call import DryCall
from streamapp.engine.dry_runs import DryRuns
from streamapp.engine.gate import Gate
from streamapp.engine.handling import Handling, Surroundings
from streamapp.engine.holdings import Holdings
from streamapp.engine.lanes.awaiting import AwaitedRecords
from streamapp.engine.lanes.base import Lanes
from streamapp.engine.lanes.one import OneLane
from streamapp.engine.lanes.tasks import TaskLanes
from streamapp.engine.lanes.threads import ThreadLanes
from streamapp.engine.leaving import Leaving
from streamapp.engine.limit import LetterLimit
from streamapp.engine.moving import Moves
from streamapp.engine.parts import Parts
from streamapp.engine.reading import Reading
from streamapp.engine.rungs import Rungs
from streamapp.engine.saving import Saver
from streamapp.engine.shard import Keeping
from streamapp.engine.stranding import Stranding
from streamapp.engine.waits import Waits
from streamapp.engine.watching import Watch
from streamapp.mount import Mount

NOBODY = UUID(int=0)


def assemble(mount: Mount, broker: Broker, parts: Parts) -> Consumer:
    """Build the consumer of one subscription; nothing is read before its `run_once`."""
    return Assembly(mount.in_worker(), broker, parts).consumer()


class Assembly:
    """The parts of one consumer. Each is made once, when the first other one needs it."""

    def __init__(self, mount: Mount, broker: Broker, parts: Parts) -> None:
        self._mount = mount
        self._broker = broker
        self._parts = parts
        self._store = parts.store
        self._clock = parts.clock
        self._gate = Gate(parts.heartbeat.life, parts.clock)
        self._watch = Watch.over(mount, parts.announcements, parts.clock)
        self._holdings = Holdings(NOBODY, _keeping(mount))
        self._committer = Committer(self._holdings, parts.store)

    def consumer(self) -> Consumer:
        """Return the consumer with all its parts."""
        return Consumer(
            self._mount,
            self._parts.heartbeat,
            self._gate,
            self._holdings,
            self._reading,
            self._assigning(),
            self._saver,
            self._lanes,
            Delays(self._mount, self._holdings, self._store, self._gate),
            self._dry_runs(),
            self._leaving,
            self._limit,
            self._watch,
            self._broker.describe,
        )

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self._broker, self._mount.subscribing(), self._clock)

    @cached_property
    def _controls(self) -> Controls:
        return Controls(self._mount.name, self._holdings, self._store, self._gate, self._broker.describe)

    @cached_property
    def _leaving(self) -> Leaving:
        stranding = Stranding(self._clock)
        return Leaving(self._mount, self._broker, self._store, self._committer, stranding)

    @cached_property
    def _limit(self) -> LetterLimit:
        limit = self._mount.ladder.limit if self._mount.ladder else None
        concluded, counts = self._watch.tally.concluded, self._store.letter_counts
        return LetterLimit(self._mount.name, limit, concluded, self._clock, counts, self._parts.pause)

    @cached_property
    def _saver(self) -> Saver:
        return Saver(
            self._mount.name,
            self._holdings,
            self._store,
            self._gate,
            self._broker.describe,
            self._watch,
            self._controls,
            durable=self._mount.checkpoints == "database",
            committer=self._committer if self._mount.is_exact else None,
        )

    def _dry_runs(self) -> DryRuns:
        call = DryCall(self._mount, self._store.using, self._parts.loop, self._clock)
        return DryRuns(
            self._mount, self._broker, self._store, self._gate, self._holdings, self._watch.calls, call
        )

    def _assigning(self) -> Assigning:
        return Assigning(
            self._mount,
            self._broker,
            self._store,
            self._holdings,
            self._reading,
            self._saver,
            self._lanes,
            self._watch,
            self._controls,
            self._clock,
            self._parts.configuration.HEARTBEAT_INTERVAL,
        )

    @cached_property
    def _lanes(self) -> Lanes:
        """One lane, threads, or tasks on the event loop."""
        mount = self._mount
        if mount.lanes == 1:
            return OneLane(mount, *self._handling(), self._gate, self._saver, self._clock)
        if not mount.shape.is_async or mount.shape.is_batch:
            handlings = [self._handling() for _ in range(mount.lanes)]
            return ThreadLanes(mount, handlings, self._gate, self._saver, self._clock)
        handling, moves = self._handling()
        assert isinstance(handling, AwaitedRecords), "an observed handling has one lane"
        return TaskLanes(mount, handling, moves, self._gate, self._saver, self._parts.loop, self._clock)

    def _handling(self) -> tuple[Handling, Moves]:
        rewind = partial(self._parts.rewind, self._mount, self._broker)
        moves = Moves(self._broker, self._holdings, self._gate, rewind)
        call = caller(self._mount, self._store.using, self._parts.loop)
        return self._parts.handling(self._mount, call, self._surroundings(moves)), moves

    def _surroundings(self, moves: Moves) -> Surroundings:
        return Surroundings(
            self._store,
            self._gate,
            moves,
            self._committer,
            self._rungs,
            self._parts.loop,
            self._clock,
            self._state,
            self._broker.describe,
            self._watch,
        )

    @cached_property
    def _rungs(self) -> Rungs:
        return Rungs(self._mount, self._leaving, self._limit, self._broker.describe)

    @cached_property
    def _state(self) -> object:
        """What all lanes of the subscription share, by its STATE."""
        return self._mount.state() if self._mount.state else None


def _keeping(mount: Mount) -> Keeping:
    settled = mount.is_exact or mount.redeliver == "unsettled"
    waits = None if mount.hold == "record" else partial(Waits, mount.hold)
    return Keeping(settled, mount.is_exact, waits)
