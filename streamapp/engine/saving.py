"""The saver: writes watermarks into their rows and notices what others wrote there.

It has a thread and a connection of its own, so a checkpoint moves and a rewind is seen while a
handler takes its time.
"""

import logging
import threading
from collections.abc import Callable, Sequence

from django.db import Error as DatabaseError

from streamapp.engine.committing import Committer
from streamapp.engine.controls import Controls
from streamapp.engine.gate import Gate
from streamapp.engine.holdings import Holdings, Unsaved
from streamapp.engine.shard import Snapshot
from streamapp.engine.watching import Watch
from streamapp.observability.logs import Fields
from streamapp.positions import SHARD_END
from streamapp.store import Store
from streamapp.store.connections import close_old_connections
from streamapp.store.records import Held

logger = logging.getLogger("streamapp.saving")


class Saver:
    """Saves one subscription's checkpoints. `durable` is False for CHECKPOINTS = "process".

    With a `committer` it writes the rows that no handler's transaction has written. `describe`
    writes a position for people.
    """

    def __init__(
        self,
        name: str,
        holdings: Holdings,
        store: Store,
        gate: Gate,
        describe: Callable[[int], str],
        watch: Watch,
        controls: Controls,
        *,
        durable: bool,
        committer: Committer | None = None,
    ) -> None:
        self._name = name
        self._holdings = holdings
        self._store = store
        self._gate = gate
        self._describe = describe
        self._watch = watch
        self._controls = controls
        self._durable = durable
        self._committer = committer
        self._one_at_a_time = threading.Lock()
        self.awake = threading.Event()
        """Set by whoever knows that there is something to look at before the interval is over."""

    def save_once(self) -> bool:
        """Write what has changed and adopt what others have written; False when the database failed.

        Looks first at what operators have ordered, so that a record they skip is settled by this save.
        A row that refused its save is either among the differences, which voids the snapshot, or
        holds the position already, because an earlier reply was lost.
        """
        close_old_connections()
        with self._one_at_a_time:
            unsaved = self._holdings.nothing()
            try:
                self._controls.look()
                unsaved = self._holdings.unsaved()
                self._write(unsaved)
                self._look(unsaved)
                self._holdings.saved(unsaved.snapshots)
            except DatabaseError as error:
                self._holdings.give_back(unsaved)
                logger.warning(
                    "Checkpoints not saved, trying again. %s", Fields(subscription=self._name, error=error)
                )
                return False
        self._tell()
        return True

    def look_once(self) -> None:
        """Adopt what a rewind of the handler's own has just written; raises django.db.Error."""
        with self._one_at_a_time:
            unsaved = self._holdings.unsaved()
            try:
                self._look(unsaved)
            finally:
                self._holdings.give_back(unsaved)

    def note_moves(self) -> None:
        """Stamp the rewinds from whose positions is now read, without saving; an operator waits for it.

        Leaves it to the next save when one is on its way: the lane doesn't wait for the saver.
        """
        if not self._one_at_a_time.acquire(blocking=False):
            return
        unsaved = self._holdings.unsaved()
        try:
            self._write_moves(unsaved)
        except DatabaseError as error:
            logger.warning("Moves not noted, trying again. %s", Fields(subscription=self._name, error=error))
        finally:
            self._holdings.give_back(unsaved)
            self._one_at_a_time.release()

    def _write_moves(self, unsaved: Unsaved) -> None:
        if unsaved.moved:
            self._store.checkpoints.forget_held(unsaved.moved)
            self._store.checkpoints.stamp_rewinds(unsaved.worker, unsaved.moved)
            unsaved.moved = {}
        if unsaved.begun:
            self._store.checkpoints.stamp_read(unsaved.begun)
            unsaved.begun = {}

    def _write(self, unsaved: Unsaved) -> None:
        self._write_moves(unsaved)
        saves = [snapshot.save for snapshot in unsaved.snapshots if self._is_durable(snapshot)]
        if self._committer:
            self._committer.save(snapshot.state for snapshot in unsaved.snapshots)
            unsaved.snapshots = []
        elif saves:
            self._store.checkpoints.save(saves)
        if unsaved.held:
            written = self._store.records.hold(unsaved.held, unsaved.epochs)
            unsaved.held = []
            self._tell_held(written)
        if unsaved.settled:
            self._store.records.settle(unsaved.settled, unsaved.epochs)
            unsaved.settled = []

    def _tell_held(self, written: Sequence[Held]) -> None:
        with self._holdings.lock:
            shards = {state.checkpoint: state.shard for state in self._holdings.states.values()}
        for record in written:
            if record.checkpoint in shards:
                self._watch.held(shards[record.checkpoint], record.position, record.reason)

    def _tell(self) -> None:
        """Tell what was written since, by handlers' transactions too."""
        for shard, position in self._holdings.take_advanced().items():
            if self._durable or position == SHARD_END:
                self._watch.advanced(shard, position)

    def _is_durable(self, snapshot: Snapshot) -> bool:
        """Write ends in any case: the children of a shard may be another worker's."""
        return self._durable or snapshot.place.position == SHARD_END

    def _look(self, unsaved: Unsaved) -> None:
        if not unsaved.epochs:
            return
        differences = self._store.checkpoints.differences(unsaved.worker, unsaved.epochs)
        rewound, fenced = self._holdings.accept(differences)
        if rewound or fenced:
            self._gate.interrupt()
        positions = {difference.checkpoint: difference.place.position for difference in differences}
        for state in rewound:
            position = self._describe(positions[state.checkpoint])
            fields = Fields(subscription=self._name, shard=state.shard, position=position, epoch=state.epoch)
            logger.info("Rewind adopted. %s", fields)
            self._watch.rewound()
        if rewound:
            self._store.checkpoints.stamp_seen({state.checkpoint: state.epoch for state in rewound})
        for state in fenced:
            fields = Fields(subscription=self._name, shard=state.shard, epoch=state.epoch)
            logger.warning("Shard taken by another worker, its work in flight is void. %s", fields)
            self._watch.lost(state.shard, unsaved.worker)
