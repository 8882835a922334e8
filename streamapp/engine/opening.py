"""Where a shard is opened: its row, its first position, and REPLAY_FROM."""

import logging
from collections.abc import Mapping, Sequence

from streamapp.brokers.base import Broker
from streamapp.engine.lineage import descendants
from streamapp.engine.shard import Placed
from streamapp.exceptions import InvalidPosition
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.positions import At, Latest, Position
from streamapp.records import Shard
from streamapp.store import Store
from streamapp.store.checkpoints import Lineage
from streamapp.store.leases import Taken

logger = logging.getLogger("streamapp.opening")


class Opening:
    """Makes rows and decides positions. Raises BrokerUnavailable and django.db.Error; ask again then."""

    def __init__(self, mount: Mount, broker: Broker, store: Store) -> None:
        self._mount = mount
        self._broker = broker
        self._store = store
        self._begun = False
        self._replayed = False
        self._initial: frozenset[Shard] = frozenset()
        self.subscription = 0
        self.known: dict[Shard, int] = {}
        """The ids of the subscription's rows, as far as they were looked up."""

    def start(self) -> None:
        """Give every shard that exists at the first start a row; later ones open at their first record.

        Raises InvalidPosition when START_AT or REPLAY_FROM names nothing of the subscription.
        """
        self.subscription = self._store.subscriptions.ensure(self._mount)
        lineage = self._broker.lineage(self._mount.source)
        shards = list(lineage)
        self._initial = frozenset(shards)
        self._check("START_AT", self._mount.start_at, shards)
        self._check("REPLAY_FROM", self._mount.replay_from, shards)
        if not self._store.subscriptions.has_started(self.subscription):
            self._store.begin(self.subscription, self._first_positions(lineage) if shards else {}, lineage)
        self.known = self._store.checkpoints.known(self.subscription)

    def rows(self, lineage: Lineage) -> dict[Shard, int]:
        """Return the checkpoints of shards; new shards get a row at their first record."""
        if any(shard not in self.known for shard in lineage):
            self.known = self._store.checkpoints.known(self.subscription)
        missing = [shard for shard in lineage if shard not in self.known]
        if missing:
            self._add(missing, lineage)
        return {shard: self.known[shard] for shard in lineage if shard in self.known}

    @property
    def replay(self) -> Position | None:
        """Return where this worker's reading begins anew whatever is stored; None once it has begun."""
        start = self._mount.start_at if self._mount.checkpoints == "process" else None
        return None if self._begun else self._mount.replay_from or start

    def placed(self, taken: Mapping[Shard, Taken]) -> dict[Shard, Placed]:
        """Return where each shard that was taken is to be read from."""
        self._begun = self._begun or bool(taken)
        if self._mount.checkpoints == "process":
            return self._placed_anew(taken)
        replay = self._mount.replay_from
        if replay is None or (self._replayed and self._mount.replay_scope == "start"):
            return _unmoved(taken)
        placed = self._replaying(taken, replay)
        self._replayed = self._replayed or bool(taken)
        return placed

    def _replaying(self, taken: Mapping[Shard, Taken], replay: Position) -> dict[Shard, Placed]:
        return {**_unmoved(taken), **self._moved(self._free(taken), replay)}

    def _free(self, taken: Mapping[Shard, Taken]) -> dict[Shard, Taken]:
        """Return those that may open elsewhere: a rewind that nobody has read from yet stands."""
        unseen = self._store.checkpoints.unseen_rewinds([lease.checkpoint for lease in taken.values()])
        return {shard: lease for shard, lease in taken.items() if lease.checkpoint not in unseen}

    def _placed_anew(self, taken: Mapping[Shard, Taken]) -> dict[Shard, Placed]:
        """Open at REPLAY_FROM, else START_AT, else the tip; at its first record what came after the start."""
        initial = {shard: lease for shard, lease in self._free(taken).items() if shard in self._initial}
        placed = self._moved(initial, Latest())
        for position in (self._mount.start_at, self._mount.replay_from):
            placed |= self._moved(initial, position) if position else {}
        return {**_unmoved(taken), **placed}

    def _moved(self, taken: Mapping[Shard, Taken], position: Position) -> dict[Shard, Placed]:
        if not taken:
            return {}
        everywhere = self._broker.resolve(position, self._broker.shards(self._mount.source) or list(taken))
        return {
            shard: Placed(taken[shard], at, anew=True) for shard, at in everywhere.items() if shard in taken
        }

    def _check(self, setting: str, position: Position | None, shards: Sequence[Shard]) -> None:
        if not position or not shards:
            return
        try:
            self._broker.resolve(position, shards)
        except InvalidPosition as error:
            raise InvalidPosition(f"{setting} of {self._mount.name}: {error}") from error

    def _first_positions(self, lineage: Lineage) -> dict[Shard, int]:
        """Apply START_AT; without it an existing group keeps its place, and the rest starts at the end.

        Children of a shard that is read from a record on hold what came after it: all of that is read too.
        """
        shards, start = list(lineage), self._mount.start_at
        bounds = self._broker.bounds(shards)
        ends = {shard: found.end for shard, found in bounds.items()}
        inherited = self._broker.inherited(self._mount.group, shards)
        started = self._broker.resolve(start, shards) if start else {}
        born = descendants(started, lineage) if isinstance(start, At) else set()
        firsts = {shard: bounds[shard].first for shard in born if shard in bounds}
        return {**ends, **inherited, **firsts, **started}

    def _add(self, shards: Sequence[Shard], lineage: Lineage) -> None:
        """Open shards that are new at their first record, and say so when the stream was made again."""
        older = {shard.stream: shard.incarnation for shard in self.known}
        made_again = {shard.stream: shard.incarnation for shard in shards if shard.stream in older}
        known = {(shard.stream, shard.incarnation) for shard in self.known}
        for stream, incarnation in made_again.items() - known:
            fields = Fields(subscription=self._mount.name, stream=stream, incarnation=incarnation)
            logger.warning("Stream was made again, its checkpoints start afresh. %s", fields)
        firsts = {shard: bounds.first for shard, bounds in self._broker.bounds(shards).items()}
        self._store.checkpoints.create(self.subscription, firsts, lineage)
        self.known = self._store.checkpoints.known(self.subscription)


def _unmoved(taken: Mapping[Shard, Taken]) -> dict[Shard, Placed]:
    return {shard: Placed(lease, lease.position) for shard, lease in taken.items()}
