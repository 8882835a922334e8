"""What all consumers of a worker share, and which handling a mount needs."""

from collections.abc import Callable
from dataclasses import dataclass, field

from streamapp.brokers.base import Broker
from streamapp.conf import Configuration
from streamapp.engine.announcing import Announcements
from streamapp.engine.batches import BatchHandling
from streamapp.engine.calling import Call
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.exact import ExactBatchHandling, ExactRecordHandling
from streamapp.engine.handling import Handling, Surroundings
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.lanes.awaiting import AwaitedRecords
from streamapp.engine.limit import Pause
from streamapp.engine.records import RecordHandling
from streamapp.mount import Mount
from streamapp.positions import Position
from streamapp.store import Store

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
    announcements: Announcements = field(default_factory=Announcements)
    pause: Pause | None = None
    """Pauses a subscription that has written too many dead letters."""
    handling: Callable[[Mount, Call, Surroundings], Handling] = handling
