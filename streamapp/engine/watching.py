"""What the rest of the world may learn of one subscription: counts, signals, calls, lost places."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.dispatch import Signal

from streamapp import signals
from streamapp.engine.announcing import Announcements
from streamapp.engine.calls import Calls
from streamapp.engine.holdings import Holdings
from streamapp.engine.shard import ShardState
from streamapp.mount import Mount
from streamapp.observability import metrics
from streamapp.observability.tally import Tally
from streamapp.positions import SHARD_END
from streamapp.records import Shard


@dataclass(frozen=True, slots=True)
class Stopped:
    """A shard that stands still until an operator moves it: at which place, since when, and why."""

    generation: int
    position: int
    since: float
    reason: str


@dataclass(slots=True)
class Watch:
    """Notes what happens to one subscription; any thread may, and none of it ever waits."""

    subscription: str
    tally: Tally
    calls: Calls
    announcements: Announcements
    clock: Callable[[], float]
    stopped: dict[Shard, Stopped] = field(default_factory=dict)
    settled_at: dict[Shard, float] = field(default_factory=dict)
    """When each checkpoint was last seen to move, or to lack nothing."""

    @classmethod
    def over(cls, mount: Mount, announcements: Announcements, clock: Callable[[], float]) -> "Watch":
        """Make the watch over a subscription."""
        tally = Tally()
        return cls(mount.name, tally, Calls(mount, tally, clock), announcements, clock)

    def taken(self, shard: Shard, worker: UUID) -> None:
        """Note that a shard is read from now on."""
        self.tally.add(metrics.LEASES_TAKEN)
        self.settled_at[shard] = self.clock()
        self._announce(signals.lease_taken, shard=shard, worker=worker)

    def lost(self, shard: Shard, worker: UUID) -> None:
        """Note that a shard is read no more."""
        self.tally.add(metrics.LEASES_LOST)
        self.settled_at.pop(shard, None)
        self.stopped.pop(shard, None)
        self._announce(signals.lease_lost, shard=shard, worker=worker)

    def advanced(self, shard: Shard, position: int) -> None:
        """Note that a checkpoint was written."""
        if shard in self.settled_at:
            self.settled_at[shard] = self.clock()
        self._announce(signals.checkpoint_advanced, shard=shard, position=position)
        if position == SHARD_END:
            self._announce(signals.shard_finished, shard=shard)

    def held(self, shard: Shard, position: int, reason: str) -> None:
        """Note that a held record was written down."""
        self.tally.add(metrics.RECORDS_HELD)
        self._announce(signals.record_held, shard=shard, position=position, reason=reason)

    def rewound(self) -> None:
        """Note that a shard was moved by a rewind."""
        self.tally.add(metrics.REWINDS)

    def skipped(self, records: int | None) -> None:
        """Note that a shard's place was gone and reading went on elsewhere."""
        self.tally.add(metrics.OUT_OF_RANGE)
        self.tally.add(metrics.RECORDS_SKIPPED, records or 0)

    def stand_still(self, state: ShardState, position: int, reason: str) -> None:
        """Note that a shard's place was gone and nothing of it is read until somebody moves it."""
        self.tally.add(metrics.OUT_OF_RANGE)
        self.stopped[state.shard] = Stopped(state.generation, position, self.clock(), reason)

    def look_at_ages(self, holdings: Holdings) -> None:
        """Note which checkpoints lack nothing at this moment."""
        now = self.clock()
        with holdings.lock:
            idle = [shard for shard, state in holdings.states.items() if state.is_saved()]
        self.settled_at.update((shard, now) for shard in idle if shard in self.settled_at)

    def ages(self, holdings: Holdings) -> dict[Shard, float]:
        """Return for how many seconds each checkpoint has stood still while it lacked something."""
        self.look_at_ages(holdings)
        now = self.clock()
        return {shard: max(0.0, now - at) for shard, at in list(self.settled_at.items())}

    def _announce(self, signal: Signal, **arguments: Any) -> None:
        self.announcements.announce(signal, self.subscription, **arguments)
