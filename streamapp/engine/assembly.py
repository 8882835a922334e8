"""Puts a consumer together: the one place where the parts of the engine meet."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from streamapp.brokers.base import Broker
from streamapp.conf import Configuration
from streamapp.engine.announcing import Announcements
from streamapp.engine.assigning import Assigning
from streamapp.engine.batches import BatchHandling
from streamapp.engine.calling import Call, caller
from streamapp.engine.committing import Committer
from streamapp.engine.consumer import Consumer
from streamapp.engine.controls import Controls
from streamapp.engine.delays import Delays
from streamapp.engine.dry_call import DryCall
from streamapp.engine.dry_runs import DryRuns
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.exact import ExactBatchHandling, ExactRecordHandling
from streamapp.engine.gate import Gate
from streamapp.engine.handling import Handling, Surroundings
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.holdings import Holdings
from streamapp.engine.lanes.awaiting import AwaitedRecords
from streamapp.engine.lanes.base import Lanes
from streamapp.engine.lanes.one import OneLane
from streamapp.engine.lanes.tasks import TaskLanes
from streamapp.engine.lanes.threads import ThreadLanes
from streamapp.engine.leaving import Leaving
from streamapp.engine.limit import LetterLimit, Pause
from streamapp.engine.moving import Moves
from streamapp.engine.reading import Reading
from streamapp.engine.records import RecordHandling
from streamapp.engine.rungs import Rungs
from streamapp.engine.saving import Saver
from streamapp.engine.shard import Keeping
from streamapp.engine.stranding import Stranding
from streamapp.engine.waits import Waits
from streamapp.engine.watching import Watch
from streamapp.mount import Mount
from streamapp.positions import Position
from streamapp.store import Store

NOBODY = UUID(int=0)
Rewind = Callable[[Mount, Broker, Position], None]


def handling_kind(mount: Mount) -> type[Handling]:
    """Return what handles the mount's records: one by one or in batches, exactly once or not."""
    if mount.is_exact:
        return ExactBatchHandling if mount.shape.is_batch else ExactRecordHandling
    if mount.lanes > 1 and mount.shape.is_async and not mount.shape.is_batch:
        return AwaitedRecords
    return BatchHandling if mount.shape.is_batch else RecordHandling


def handling(mount: Mount, call: Call, surroundings: Surroundings) -> Handling:
    """Make what handles the mount's records."""
    return handling_kind(mount)(mount, call, surroundings)


@dataclass(frozen=True, slots=True)
class Parts:
    """What all consumers of a worker share."""

    store: Store
    heartbeat: Heartbeat
    loop: EventLoop
    configuration: Configuration
    clock: Callable[[], float]
    rewind: Rewind
    handling: Callable[[Mount, Call, Surroundings], Handling] = handling
    announcements: Announcements = field(default_factory=Announcements)
    pause: Pause | None = None
    """Pauses a subscription that has written too many dead letters."""


def assemble(mount: Mount, broker: Broker, parts: Parts) -> Consumer:
    """Build the consumer of one subscription; nothing is read before its `run_once`."""
    mount = mount.in_worker()
    gate = Gate(parts.heartbeat.life, parts.clock)
    watch = Watch.over(mount, parts.announcements, parts.clock)
    holdings = Holdings(NOBODY, _keeping(mount))
    reading = Reading(broker, mount.subscribing(), parts.clock)
    committer = Committer(holdings, parts.store)
    controls = Controls(mount.name, holdings, parts.store, gate, broker.describe)
    stranding = Stranding(parts.clock)
    leaving = Leaving(mount, broker, parts.store, committer, stranding)
    delays = Delays(mount, holdings, parts.store, gate)
    dry_call = DryCall(mount, parts.store.using, parts.loop, parts.clock)
    dry_runs = DryRuns(mount, broker, parts.store, gate, holdings, watch.calls, dry_call)
    limit = LetterLimit(
        mount.name,
        mount.ladder.limit if mount.ladder else None,
        watch.tally.concluded,
        parts.clock,
        parts.store.letter_counts,
        parts.pause,
    )
    rungs = Rungs(mount, leaving, limit, broker.describe)
    saver = Saver(
        mount.name,
        holdings,
        parts.store,
        gate,
        broker.describe,
        watch,
        controls,
        durable=mount.checkpoints == "database",
        committer=committer if mount.is_exact else None,
    )
    lanes = LaneMaker(mount, broker, holdings, gate, saver, committer, rungs, watch, parts).make()
    interval = parts.configuration.HEARTBEAT_INTERVAL
    assigning = Assigning(
        mount, broker, parts.store, holdings, reading, saver, lanes, watch, controls, parts.clock, interval
    )
    return Consumer(
        mount,
        parts.heartbeat,
        gate,
        holdings,
        reading,
        assigning,
        saver,
        lanes,
        delays,
        dry_runs,
        leaving,
        limit,
        watch,
        broker.describe,
    )


def _keeping(mount: Mount) -> Keeping:
    settled = mount.is_exact or mount.redeliver == "unsettled"
    waits = None if mount.hold == "record" else partial(Waits, mount.hold)
    return Keeping(settled, mount.is_exact, waits)


@dataclass(frozen=True, slots=True)
class LaneMaker:
    """Makes the lanes of one subscription; all of them share its state."""

    mount: Mount
    broker: Broker
    holdings: Holdings
    gate: Gate
    saver: Saver
    committer: Committer
    rungs: Rungs
    watch: Watch
    parts: Parts

    def make(self) -> Lanes:
        """Return one lane, threads, or tasks on the event loop."""
        mount, clock = self.mount, self.parts.clock
        state = mount.state() if mount.state else None
        if mount.lanes == 1:
            return OneLane(mount, *self._handling(state), self.gate, self.saver, clock)
        if not mount.shape.is_async or mount.shape.is_batch:
            handlings = [self._handling(state) for _ in range(mount.lanes)]
            return ThreadLanes(mount, handlings, self.gate, self.saver, clock)
        handling, moves = self._handling(state)
        assert isinstance(handling, AwaitedRecords), "an observed handling has one lane"
        return TaskLanes(mount, handling, moves, self.gate, self.saver, self.parts.loop, clock)

    def _handling(self, state: Any) -> tuple[Handling, Moves]:
        mount, parts = self.mount, self.parts
        rewind = parts.rewind
        moves = Moves(
            self.broker, self.holdings, self.gate, lambda position: rewind(mount, self.broker, position)
        )
        surroundings = Surroundings(
            parts.store,
            self.gate,
            moves,
            self.committer,
            self.rungs,
            parts.loop,
            parts.clock,
            state,
            self.broker.describe,
            self.watch,
        )
        call = caller(mount, parts.store.using, parts.loop)
        return parts.handling(mount, call, surroundings), moves
