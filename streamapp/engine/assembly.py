"""Puts a consumer together: the one place where the parts of the engine meet."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from streamapp.brokers.base import Broker
from streamapp.conf import Configuration
from streamapp.engine.assigning import Assigning
from streamapp.engine.batches import BatchHandling
from streamapp.engine.calling import Call, caller
from streamapp.engine.committing import Committer
from streamapp.engine.consumer import Consumer
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.exact import ExactBatchHandling, ExactRecordHandling
from streamapp.engine.gate import Gate
from streamapp.engine.handling import Handling, Surroundings
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.holdings import Holdings
from streamapp.engine.moving import Moves
from streamapp.engine.reading import Reading
from streamapp.engine.records import RecordHandling
from streamapp.engine.saving import Saver
from streamapp.engine.shard import Keeping
from streamapp.engine.transactions import CheckpointTransaction
from streamapp.mount import Mount
from streamapp.positions import Position
from streamapp.store import Store

NOBODY = UUID(int=0)
Rewind = Callable[[Mount, Broker, Position], None]


def handling(mount: Mount, call: Call, surroundings: Surroundings) -> Handling:
    """Make what handles the mount's records: one by one or in batches, exactly once or not."""
    if not mount.is_exact:
        return (BatchHandling if mount.shape.is_batch else RecordHandling)(mount, call, surroundings)
    kind = ExactBatchHandling if mount.shape.is_batch else ExactRecordHandling
    committer, moves = surroundings.committer, surroundings.mover
    transaction = CheckpointTransaction(surroundings.store.using, committer, moves)
    return kind(mount, call, surroundings, transaction, committer)


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


def assemble(mount: Mount, broker: Broker, parts: Parts) -> Consumer:
    """Build the consumer of one subscription; nothing is read before its `run_once`."""
    gate = Gate(parts.heartbeat.life, parts.clock)
    holdings = Holdings(NOBODY, _keeping(mount))
    committer = Committer(holdings, parts.store)
    reading = Reading(broker, mount.subscribing(), parts.clock)
    durable = mount.checkpoints == "database"
    saver = Saver(
        mount.name,
        holdings,
        parts.store,
        gate,
        durable=durable,
        committer=committer if mount.is_exact else None,
    )
    interval = parts.configuration.HEARTBEAT_INTERVAL
    assigning = Assigning(mount, broker, parts.store, holdings, reading, saver, parts.clock, interval)
    moves = Moves(broker, holdings, gate, lambda position: parts.rewind(mount, broker, position))
    handling = _handling(mount, gate, moves, committer, parts)
    return Consumer(
        mount, parts.heartbeat, gate, holdings, reading, assigning, saver, handling, moves, parts.clock
    )


def _keeping(mount: Mount) -> Keeping:
    return Keeping(settled=mount.is_exact or mount.redeliver == "unsettled", exact=mount.is_exact)


def _handling(mount: Mount, gate: Gate, moves: Moves, committer: Committer, parts: Parts) -> Handling:
    state = mount.state() if mount.state else None
    surroundings = Surroundings(parts.store, gate, moves, committer, parts.loop, parts.clock, state)
    return parts.handling(mount, caller(mount, parts.store.using, parts.loop), surroundings)
