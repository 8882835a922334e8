"""When a worker looks for its share of the shards, where no group assigns them."""

import logging
from collections.abc import Callable, Iterable

from streamapp.brokers.base import Broker
from streamapp.engine.discovery import Discovery
from streamapp.engine.holdings import Holdings
from streamapp.engine.leasing import Share, SpreadLeases
from streamapp.engine.opening import Opening
from streamapp.engine.saving import Saver
from streamapp.exceptions import BrokerUnavailable
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.store import Store

logger = logging.getLogger("streamapp.sharing")


class Sharing:
    """Looks at an interval, and at once when a shard has ended, was rewound or is a child just taken.

    Lives in the lane's thread.
    """

    def __init__(
        self,
        mount: Mount,
        broker: Broker,
        store: Store,
        opening: Opening,
        holdings: Holdings,
        saver: Saver,
        clock: Callable[[], float],
        interval: float,
    ) -> None:
        self._name = mount.name
        self._holdings = holdings
        self._saver = saver
        self._clock = clock
        self._interval = interval
        self._discovery = Discovery(mount, broker, opening, store, interval)
        self._spread = SpreadLeases(mount.name, opening, self._discovery, store)
        self._failing = False
        self.begin_anew()

    def begin_anew(self) -> None:
        """Look at the next call whatever the time."""
        self._looked_at = float("-inf")

    def children(self, shards: Iterable[Shard]) -> list[Shard]:
        """Return those of the shards that have parents."""
        return [shard for shard in shards if self._discovery.lineage.get(shard)]

    def share(self, unchecked: bool) -> Share | None:
        """Return what should change, None if it isn't time to look. `unchecked`: a held shard asks for it.

        Raises django.db.Error. A broker that doesn't answer is asked again after an interval, and reading
        goes on; BrokerUnavailable is raised when there is nothing to read.
        """
        due = self._clock() - self._looked_at >= self._interval
        ended = self._ended() if due or not self._failing else []
        if not (due or ended or unchecked):
            return None
        share = self._look(due, ended)
        if due:
            self._looked_at = self._clock()
        return share

    def _look(self, due: bool, ended: list[Shard]) -> Share | None:
        try:
            share = self._compare(due, ended)
        except BrokerUnavailable as error:
            if not self._holdings.states:
                raise
            self._failing = True
            logger.warning(
                "Shards not listed, reading goes on. %s", Fields(subscription=self._name, error=error)
            )
            return None
        self._failing = False
        return share

    def _compare(self, due: bool, ended: list[Shard]) -> Share:
        if ended:
            # Children wait for rows that say so.
            self._saver.save_once()
        if due:
            self._discovery.look()
        self._discovery.look_for_children(ended)
        return self._spread.step(self._holdings.worker, list(self._holdings.states))

    def _ended(self) -> list[Shard]:
        with self._holdings.lock:
            states = [state for state in self._holdings.states.values() if state.target is None]
            return [state.shard for state in states if state.watermark.lowest() == SHARD_END]
