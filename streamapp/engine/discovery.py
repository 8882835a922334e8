"""Which shards a source has now, and what their rows say of it.

One listing an interval and process: all subscriptions to a stream share it. A shard that has ended
costs another one only if its children aren't known yet.
"""

import logging
from collections.abc import Collection, Mapping

from streamapp.brokers.base import Broker
from streamapp.engine import lineage as rules
from streamapp.engine.lineage import Lineage, Standings
from streamapp.engine.opening import Opening
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.records import Shard
from streamapp.store import Store
from streamapp.store.lineage import Standing

logger = logging.getLogger("streamapp.discovery")


class Discovery:
    """Lists shards and keeps their rows in step. Raises BrokerUnavailable and django.db.Error."""

    def __init__(self, mount: Mount, broker: Broker, opening: Opening, store: Store, interval: float) -> None:
        self._mount = mount
        self._broker = broker
        self._opening = opening
        self._store = store
        self._interval = interval
        self.lineage: Lineage = {}
        """The shards as they were listed last."""

    def look(self) -> None:
        """List the shards, unless somebody in this process has done so within the interval."""
        self.lineage = self._broker.lineage(self._mount.source, self._interval)

    def look_for_children(self, ended: Collection[Shard]) -> None:
        """List the shards now if some of these have no children yet."""
        if not rules.are_born(ended, self.lineage):
            self.lineage = self._broker.lineage(self._mount.source)

    def readable(self) -> dict[Shard, int]:
        """Return the rows of the shards that may be read: neither finished nor waiting for a parent."""
        rows = self._opening.rows(self.lineage)
        stored = self._store.lineage.standings(self._opening.subscription)
        self._keep(stored)
        standings = self._replayed(stored)
        finished = {shard for shard, row in standings.items() if row.finished}
        return {shard: rows[shard] for shard in rules.readable(self.lineage, finished) if shard in rows}

    def _keep(self, standings: Standings) -> None:
        """Write down what the listing says and the rows don't."""
        store = self._store.lineage
        if found := rules.incomplete(self.lineage, standings):
            store.complete(found)
        if returned := rules.returned(self.lineage, standings):
            store.restore(returned)
        if left := rules.left(self.lineage, standings):
            self._retire(left)

    def _retire(self, left: Mapping[Shard, Standing]) -> None:
        mine = self._store.lineage.retire([row.checkpoint for row in left.values()])
        for shard, row in left.items():
            if row.checkpoint in mine:
                fields = Fields(
                    subscription=self._mount.name,
                    shard=shard,
                    incarnation=shard.incarnation,
                    finished=row.finished,
                )
                logger.warning("The stream has this shard no more, its checkpoint is retired. %s", fields)

    def _replayed(self, standings: Standings) -> Standings:
        """Open for a replay what was finished or waits for a parent; every other shard moves when taken.

        Only for the first worker that comes: the finished shards of one that joins were read by others.
        """
        replay = self._opening.replay
        related = [s for s, parents in self.lineage.items() if parents or standings[s].finished]
        if not (replay and related) or self._store.lineage.is_read(self._opening.subscription):
            return standings
        unseen = self._store.checkpoints.unseen_rewinds([standings[shard].checkpoint for shard in related])
        found = self._broker.resolve(replay, list(self.lineage))
        moved = {standings[shard].checkpoint: found[shard] for shard in related if shard in found}
        self._store.lineage.reopen({row: at for row, at in moved.items() if row not in unseen})
        return self._store.lineage.standings(self._opening.subscription)
