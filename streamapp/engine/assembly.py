"""Puts a consumer together: the one place where the parts of the engine meet."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from streamapp.brokers.base import Broker
from streamapp.conf import Configuration
from streamapp.engine.assigning import Assigning
from streamapp.engine.batches import BatchHandling
from streamapp.engine.calling import Call, caller
from streamapp.engine.consumer import Consumer
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.gate import Gate
from streamapp.engine.handling import Handling, Surroundings
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.holdings import Holdings
from streamapp.engine.moving import Moves
from streamapp.engine.reading import Reading
from streamapp.engine.records import RecordHandling
from streamapp.engine.saving import Saver
from streamapp.mount import Mount
from streamapp.positions import Position
from streamapp.store import Store

NOBODY = UUID(int=0)
Rewind = Callable[[Mount, Broker, Position], None]


def handling(mount: Mount, call: Call, surroundings: Surroundings) -> Handling:
    """Make what handles the mount's records: one by one, or in batches."""
    kind = BatchHandling if mount.shape.is_batch else RecordHandling
    return kind(mount, call, surroundings)


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
    holdings = Holdings(NOBODY)
    reading = Reading(broker, mount.subscribing(), parts.clock)
    durable = mount.checkpoints == "database"
    saver = Saver(mount.name, holdings, parts.store, gate, broker.describe, durable=durable)
    interval = parts.configuration.HEARTBEAT_INTERVAL
    assigning = Assigning(mount, broker, parts.store, holdings, reading, saver, parts.clock, interval)
    moves = Moves(broker, holdings, gate, lambda position: parts.rewind(mount, broker, position))
    handling = _handling(mount, broker, gate, moves, parts)
    return Consumer(
        mount, parts.heartbeat, gate, holdings, reading, assigning, saver, handling, moves, parts.clock
    )


def _handling(mount: Mount, broker: Broker, gate: Gate, moves: Moves, parts: Parts) -> Handling:
    state = mount.state() if mount.state else None
    surroundings = Surroundings(parts.store, gate, moves, parts.loop, parts.clock, state, broker.describe)
    return parts.handling(mount, caller(mount, parts.store.using, parts.loop), surroundings)
