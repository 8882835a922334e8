"""Which shards a consumer holds: gained and given back, by the group's events or by leases."""

import logging
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

from django.db import Error as DatabaseError

from streamapp.brokers.base import Assigned, Broker, Event, Lost, Missing, OutOfRange, Revoked
from streamapp.engine.holdings import Holdings
from streamapp.engine.lanes.base import Lanes
from streamapp.engine.leasing import HANDOVER_SECONDS, GroupLeases
from streamapp.engine.opening import Opening
from streamapp.engine.reading import Reading
from streamapp.engine.saving import Saver
from streamapp.engine.shard import Placed
from streamapp.engine.sharing import Sharing
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.records import Shard
from streamapp.store import Store

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
        self.opening = Opening(mount, broker, store)
        self._group = GroupLeases(self.opening, store)
        self._sharing = Sharing(mount, broker, store, self.opening, holdings, saver, clock, interval)
        self._pending: list[Shard] = []
        self._stranded: dict[Shard, int] = {}

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
        rewound = self._holdings.unchecked()
        if not self._reading.assigns:
            self._take_share(bool(rewound))
        self._holdings.check(rewound)

    def handle(self, events: Iterable[Event]) -> None:
        """Deal with what the broker said, in its order; never raises for a failing peer."""
        for event in events:
            match event:
                case Assigned(shards):
                    self._pending += shards
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

    def begin_anew(self, worker: UUID) -> None:
        """Forget all shards without a word to the database, and go on under another identity."""
        self._forget(list(self._holdings.states))
        self._pending = []
        self._reading.close()
        with self._holdings.lock:
            self._holdings.worker = worker
        self._sharing.begin_anew()

    def _forget(self, shards: Sequence[Shard]) -> list[int]:
        self._stranded = {shard: at for shard, at in self._stranded.items() if shard not in shards}
        self._pending = [shard for shard in self._pending if shard not in shards]
        if shards:
            logger.info("Shards given up. %s", Fields(subscription=self._mount.name, shards=_named(shards)))
        return self._holdings.drop(shards)

    def _take_share(self, rewound: bool) -> None:
        share = self._sharing.share(rewound)
        if share is None:
            return
        if share.surplus:
            self._reading.close_shards(share.surplus)
            self.give_back(share.surplus)
        self._hold(share.taken)

    def _hold(self, placed: dict[Shard, Placed]) -> None:
        if placed:
            self._holdings.add(placed)
            logger.info("Shards taken. %s", Fields(subscription=self._mount.name, shards=_named(placed)))

    def _reopen(self, shard: Shard, position: int) -> None:
        """Go on where the log still has records, by the mounted policy."""
        state = self._holdings.states.get(shard)
        if state is None:
            return
        fields = Fields(subscription=self._mount.name, shard=shard, position=position)
        kept = self._broker.bounds([shard]).get(shard)
        if kept is None:
            logger.warning("The stream was deleted, the shard stands still. %s", fields)
            return
        if self._mount.on_out_of_range == "stop":
            logger.error("The log doesn't keep the position, the shard stands still. %s", fields)
            return
        found = kept.first if self._mount.on_out_of_range == "earliest" else kept.end
        logger.error("The log doesn't keep the position, reading elsewhere. %s to=%s", fields, found)
        with self._holdings.lock:
            state.skip(found)


def _named(shards: Iterable[Shard]) -> str:
    return ", ".join(str(shard) for shard in sorted(shards))
