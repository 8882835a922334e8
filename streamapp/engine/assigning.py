"""Which shards a consumer holds: gained and given back, by the group's events or by leases."""

import logging
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

from django.db import Error as DatabaseError

from streamapp.brokers.base import Broker
from streamapp.brokers.reading import Assigned, Event, Lost, Missing, OutOfRange, Revoked
from streamapp.engine.controls import Controls
from streamapp.engine.holdings import Holdings
from streamapp.engine.lanes.base import Lanes
from streamapp.engine.leasing import HANDOVER_SECONDS, GroupLeases
from streamapp.engine.opening import Opening
from streamapp.engine.reading import Reading
from streamapp.engine.saving import Saver
from streamapp.engine.shard import Placed, ShardState
from streamapp.engine.sharing import Sharing
from streamapp.engine.watching import Watch
from streamapp.exceptions import BrokerUnavailable
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.records import Bounds, Shard
from streamapp.store import Store
from streamapp.store.skips import Skipped

logger = logging.getLogger("streamapp.assigning")
DRAIN_SECONDS = 0.8 * HANDOVER_SECONDS


class Assigning:
    """Keeps the holdings what they should be. Lives in the lane's thread."""

    def __init__(
        self,
        mount: Mount,
        broker: Broker,
        store: Store,
        holdings: Holdings,
        reading: Reading,
        saver: Saver,
        lanes: Lanes,
        watch: Watch,
        controls: Controls,
        clock: Callable[[], float],
        interval: float,
    ) -> None:
        self._mount = mount
        self._broker = broker
        self._store = store
        self._holdings = holdings
        self._reading = reading
        self._saver = saver
        self._lanes = lanes
        self._watch = watch
        self._controls = controls
        self.opening = Opening(mount, broker, store)
        self._group = GroupLeases(self.opening, store)
        self._sharing = Sharing(mount, broker, store, self.opening, holdings, saver, clock, interval)
        self._pending: list[Shard] = []
        self._stranded: dict[Shard, int] = {}
        self._answered = False

    @property
    def is_settled(self) -> bool:
        """Tell whether it was said which shards are this worker's, and all of them were taken."""
        return self._answered and not self._pending

    def take_pending(self) -> None:
        """Take what is due: shards assigned since, a share of the leases, places for stranded shards.

        Raises BrokerUnavailable and django.db.Error; nothing is forgotten then.
        """
        if self._pending:
            placed = self._group.take(self._holdings.worker, self._pending)
            self._hold(placed)
            # A cluster may not know yet what its group has assigned: those are asked for again.
            self._pending = [shard for shard in self._pending if shard not in placed]
        for shard, position in list(self._stranded.items()):
            self._reopen(shard, position)
            del self._stranded[shard]
        unchecked = self._holdings.unchecked()
        if self._reading.assigns or self._take_share(bool(unchecked)):
            self._holdings.check(unchecked)

    def handle(self, events: Iterable[Event]) -> None:
        """Deal with what the broker said, in its order; never raises for a failing peer."""
        for event in events:
            match event:
                case Assigned(shards):
                    self._pending += shards
                    self._answered = True
                case Revoked(shards):
                    self.give_back(shards)
                case Lost(shards):
                    self._forget(shards)
                case OutOfRange(shard, position):
                    self._stranded[shard] = position
                case Missing(stream):
                    fields = Fields(subscription=self._mount.name, stream=stream)
                    logger.warning("Stream doesn't exist yet, waiting for it. %s", fields)

    def give_back(self, shards: Sequence[Shard]) -> None:
        """Save what is settled and let go, so that the next owner starts behind it; seeks end here.

        Calls that run may end first, in less time than a next owner waits.
        """
        self._lanes.drain(shards, DRAIN_SECONDS)
        self._holdings.undo_seeks(shards)
        self._saver.save_once()
        released = self._forget(shards)
        try:
            self._store.leases.release(self._holdings.worker, released)
        except DatabaseError as error:
            fields = Fields(subscription=self._mount.name, shards=len(released), error=error)
            logger.warning("Leases not released, the next owner takes them. %s", fields)

    def give_all_back(self) -> None:
        """Let go of everything."""
        self._pending = []
        self.give_back(list(self._holdings.states))

    def hand_over(self) -> None:
        """Let the broker's tools and the next owners know where to go on, and leave; never raises."""
        self._saver.save_once()
        try:
            self._reading.mirror(self._holdings.take_mirrored())
        except BrokerUnavailable as error:
            fields = Fields(subscription=self._mount.name, error=error)
            logger.warning("Checkpoints not mirrored. %s", fields)
        self.give_all_back()
        self._reading.close()
        self._answered = False
        self._sharing.begin_anew()

    def begin_anew(self, worker: UUID) -> None:
        """Forget all shards without a word to the database, and go on under another identity."""
        self._forget(list(self._holdings.states))
        self._pending = []
        self._answered = False
        self._reading.close()
        with self._holdings.lock:
            self._holdings.worker = worker
        self._sharing.begin_anew()

    def _forget(self, shards: Sequence[Shard]) -> list[int]:
        self._stranded = {shard: at for shard, at in self._stranded.items() if shard not in shards}
        self._pending = [shard for shard in self._pending if shard not in shards]
        if shards:
            logger.info("Shards given up. %s", Fields(subscription=self._mount.name, shards=_named(shards)))
        held = [shard for shard in shards if shard in self._holdings.states]
        dropped = self._holdings.drop(shards)
        for shard in held:
            self._watch.lost(shard, self._holdings.worker)
        return dropped

    def _take_share(self, unchecked: bool) -> bool:
        """Follow the rows; returns whether they were looked at."""
        share = self._sharing.share(unchecked)
        if share is None:
            return False
        self._answered = True
        if share.surplus:
            self._reading.close_shards(share.surplus)
            self.give_back(share.surplus)
        self._hold(share.taken)
        # A rewind may have reopened a parent between the look at the rows and the take of the child.
        self._holdings.uncheck(self._sharing.children(share.taken))
        return True

    def _hold(self, placed: dict[Shard, Placed]) -> None:
        if placed:
            # A pause or a skipped record must be known before the first record is delivered.
            self._controls.read()
            self._holdings.add(placed)
            logger.info("Shards taken. %s", Fields(subscription=self._mount.name, shards=_named(placed)))
        for shard in placed:
            self._watch.taken(shard, self._holdings.worker)

    def _reopen(self, shard: Shard, position: int) -> None:
        """Go on where the log still has records, by the mounted policy; a move made meanwhile stands."""
        state = self._holdings.states.get(shard)
        if state is None:
            return
        kept = self._broker.bounds([shard]).get(shard)
        if state.target is not None:
            return  # reading follows a rewind or a seek, and its place is looked at anew
        if kept is None:
            logger.warning("The stream was deleted, the shard stands still. %s", self._lost(shard, position))
            self._watch.stand_still(state, position, "The stream was deleted.")
        elif self._mount.on_out_of_range == "stop":
            fields = self._lost(shard, position)
            logger.error("The log doesn't keep the position, the shard stands still. %s", fields)
            self._watch.stand_still(state, position, "ON_OUT_OF_RANGE is 'stop'.")
        else:
            self._skip(state, position, kept)

    def _skip(self, state: ShardState, position: int, kept: Bounds) -> None:
        """Go on elsewhere; the trace of it is written first."""
        policy = self._mount.on_out_of_range
        found = kept.first if policy == "earliest" else kept.end
        records = self._broker.records_between(position, found)
        records = records if records is None else max(0, records)
        self._store.skips.add(Skipped(state.checkpoint, state.epoch, position, found, records, policy))
        fields = self._lost(state.shard, position, to=self._broker.describe(found), skipped=records)
        logger.error("The log doesn't keep the position, reading elsewhere. %s", fields)
        self._watch.skipped(records)
        with self._holdings.lock:
            if state.target is None:  # nobody has moved it while the trace was written
                state.skip(found)

    def _lost(self, shard: Shard, position: int, **more: object) -> Fields:
        at = self._broker.describe(position)
        return Fields(subscription=self._mount.name, shard=shard, position=at, **more)


def _named(shards: Iterable[Shard]) -> str:
    return ", ".join(str(shard) for shard in sorted(shards))
