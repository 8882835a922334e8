"""What operators want of a subscription, brought from the rows to the shards that this worker holds."""

import logging
import threading
from collections.abc import Callable

from streamapp.engine.gate import Gate
from streamapp.engine.holdings import Holdings
from streamapp.observability.logs import Fields
from streamapp.records import Shard
from streamapp.store import Store
from streamapp.store.controls import Orders, SkipOrder, Told

logger = logging.getLogger("streamapp.controls")


class Controls:
    """Looks at the orders: the saver each second, the lane before it begins with shards that it has taken.

    Both methods raise django.db.Error; what was ordered before stays in effect then.
    """

    def __init__(
        self, name: str, holdings: Holdings, store: Store, gate: Gate, describe: Callable[[int], str]
    ) -> None:
        self._name = name
        self._holdings = holdings
        self._store = store
        self._gate = gate
        self._describe = describe
        self._one_at_a_time = threading.Lock()

    def read(self) -> None:
        """Learn what is ordered, so that shards begin with it."""
        with self._one_at_a_time:
            before = self._holdings.orders
            orders = self._store.controls.read(self._name, self._holdings.worker)
            self._holdings.obey(orders)
        if orders != before:
            self._gate.interrupt()
            self._tell(before, orders)

    def look(self) -> None:
        """Learn what is ordered, settle what is to be skipped, and note what came of it."""
        self.read()
        if self._holdings.orders.skips:
            self._skip()

    def _skip(self) -> None:
        orders = self._holdings.orders
        if retired := [each for each in self._holdings.retire() if not each.order.applied]:
            epochs = {each.order.checkpoint: each.epoch for each in retired}
            skips = [each.order for each in retired]
            self._store.controls.applied(self._holdings.worker, skips, epochs)
            for each in retired:
                self._tell_skipped(each.order, each.shard)
        if any(skip.passed for skip in orders.skips):
            self._store.controls.end_passed(self._name)

    def _tell_skipped(self, skip: SkipOrder, shard: Shard) -> None:
        fields = Fields(
            subscription=self._name,
            shard=shard,
            position=self._describe(skip.position),
            by=skip.told.by,
            reason=skip.told.reason,
        )
        logger.warning("Record skipped by an operator. %s", fields)

    def _tell(self, before: Orders, orders: Orders) -> None:
        self._tell_of("Worker is drained by an operator.", "Drain undone.", before.drained, orders.drained)
        self._tell_of(
            "Subscription paused by an operator.", "Subscription resumed.", before.paused, orders.paused
        )
        with self._holdings.lock:
            shards = {state.checkpoint: state.shard for state in self._holdings.states.values()}
        for checkpoint, shard in shards.items():
            old, new = before.paused_shards.get(checkpoint), orders.paused_shards.get(checkpoint)
            self._tell_of("Shard paused by an operator.", "Shard resumed.", old, new, shard=shard)

    def _tell_of(self, begun: str, ended: str, old: Told | None, new: Told | None, **more: object) -> None:
        if new and not old:
            fields = Fields(subscription=self._name, **more, by=new.by, reason=new.reason)
            logger.warning("%s %s", begun, fields)
        elif old and not new:
            logger.warning("%s %s", ended, Fields(subscription=self._name, **more))
