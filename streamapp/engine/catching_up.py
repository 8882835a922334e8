"""Whether a subscription has handled what was there at a given moment."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from streamapp.brokers.base import Broker
from streamapp.engine.consumer import Consumer
from streamapp.engine.lineage import readable
from streamapp.positions import SHARD_END
from streamapp.records import Bounds, Shard
from streamapp.store import Store


@dataclass(frozen=True, slots=True)
class Look:
    """What the log held at a moment of time.monotonic()."""

    moment: float
    bounds: Mapping[Shard, Bounds]
    lineage: Mapping[Shard, tuple[Shard, ...]]


class CatchingUp:
    """Remembers the ends of all shards at its first look, and compares.

    Every look compares anew: a seek, a rewind or the end of the worker's life may have taken back what
    was read. Held records count as caught up on the worker that holds them: they wait for an operator,
    and so do the children of a closed shard that has one.

    Where ends are moments, no stored position says that another worker is past one: it answers itself
    for the shards that it holds. If each of several workers runs until it has caught up, all was
    handled when the last has ended.
    """

    def __init__(self, consumer: Consumer, broker: Broker, store: Store) -> None:
        self._consumer = consumer
        self._broker = broker
        self._store = store
        self._first: Look | None = None

    def is_done(self) -> bool:
        """Tell whether every shard was read to its remembered end and nothing waits to be handled.

        Raises BrokerUnavailable and django.db.Error.
        """
        look = self._first = self._first or self._look()
        subscription = self._store.subscriptions.ensure(self._consumer.mount)
        finished = self._store.checkpoints.finished(subscription)
        unfinished = readable({shard: look.lineage[shard] for shard in look.bounds}, finished)
        mine = [shard for shard in unfinished if self._is_past(shard, look)]
        others = {shard: look.bounds[shard] for shard in unfinished if shard not in mine}
        if others and not self._others_are_past(subscription, others):
            return False
        # In this order: what is handled between two looks may have sought.
        return not self._consumer.busy and all(self._is_past(shard, look) for shard in mine)

    def _look(self) -> Look:
        moment = time.monotonic()
        lineage = self._broker.lineage(self._consumer.mount.source)
        return Look(moment, self._broker.bounds(list(lineage)), lineage)

    def _is_past(self, shard: Shard, look: Look) -> bool:
        """Tell whether this worker is past the end; of a closed shard its row must say so."""
        holdings = self._consumer.holdings
        with holdings.lock:
            state = holdings.states.get(shard)
            if state is None or state.target is not None or state.watermark.lowest() == SHARD_END:
                return False
            return state.watermark.is_past(look.bounds[shard], look.moment)

    def _others_are_past(self, subscription: int, ends: Mapping[Shard, Bounds]) -> bool:
        stored = self._store.checkpoints.positions(subscription)
        places = {shard: bounds.end for shard, bounds in ends.items() if not bounds.is_moment}
        moments = [shard for shard, bounds in ends.items() if bounds.is_moment]
        return all(stored.get(shard, -1) >= end for shard, end in places.items()) and (
            not moments or self._others_hold(subscription, moments)
        )

    def _others_hold(self, subscription: int, shards: list[Shard]) -> bool:
        rows = self._store.checkpoints.known(subscription)
        leases = self._store.leases.rows([rows[shard] for shard in shards if shard in rows])
        mine = self._consumer.holdings.worker
        held = [lease for lease in leases if not lease.free and lease.worker != mine]
        return len(held) == len(shards)
