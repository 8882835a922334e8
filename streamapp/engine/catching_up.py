"""Whether a subscription has handled what was there at a given moment."""

from streamapp.brokers.base import Broker
from streamapp.engine.consumer import Consumer
from streamapp.records import Shard
from streamapp.store import Store


class CatchingUp:
    """Remembers the ends of all shards at its first look, and compares.

    Every look compares anew: a seek, a rewind or the end of the worker's life may have taken back what
    was read. Held records count as caught up on the worker that holds them: they wait for an operator.
    """

    def __init__(self, consumer: Consumer, broker: Broker, store: Store) -> None:
        self._consumer = consumer
        self._broker = broker
        self._store = store
        self._ends: dict[Shard, int] | None = None

    def is_done(self) -> bool:
        """Tell whether every shard was read to its remembered end and nothing waits to be handled.

        Raises BrokerUnavailable and django.db.Error.
        """
        if self._ends is None:
            shards = self._broker.shards(self._consumer.mount.source)
            self._ends = {shard: bounds.end for shard, bounds in self._broker.bounds(shards).items()}
        mine = {shard: end for shard, end in self._ends.items() if self._is_past(shard, end)}
        others = {shard: end for shard, end in self._ends.items() if shard not in mine}
        if others and not self._others_are_past(others):
            return False
        # In this order: what is handled between two looks may have sought.
        return not self._consumer.busy and all(self._is_past(shard, end) for shard, end in mine.items())

    def _is_past(self, shard: Shard, end: int) -> bool:
        state = self._consumer.holdings.states.get(shard)
        return state is not None and state.target is None and state.watermark.next >= end

    def _others_are_past(self, ends: dict[Shard, int]) -> bool:
        subscription = self._store.subscriptions.ensure(self._consumer.mount)
        stored = self._store.checkpoints.positions(subscription)
        return all(stored.get(shard, -1) >= end for shard, end in ends.items())
