"""What lanes in threads and lanes on the event loop have in common: the queue between them and the poll."""

import logging
import threading
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from streamapp.engine.gate import Gate
from streamapp.engine.lanes.base import Lanes
from streamapp.engine.lanes.splits import SPLITS
from streamapp.engine.lanes.strands import Strands, Taken
from streamapp.engine.shard import ShardState, Slice
from streamapp.engine.work import Work
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.records import Shard

logger = logging.getLogger("streamapp.lanes")
OUTAGE_SECONDS = 1.0
AHEAD = 2
"""How many polls' worth of a shard's records may wait for a lane."""
WATCHFUL_SECONDS = 0.02


class ManyLanes(Lanes):
    """Hands records to lanes; whoever polls goes on meanwhile."""

    def __init__(self, mount: Mount, gate: Gate, clock: Callable[[], float]) -> None:
        self._mount = mount
        self._gate = gate.follower()
        self._clock = clock
        lock = threading.Lock()
        self._waits = threading.Condition(lock)
        """Something waits for a lane, or lanes shall end."""
        self._ended = threading.Condition(lock)
        """A call has ended."""
        self._strands = Strands(SPLITS[mount.order], mount.lanes, mount.batch)
        self._most = AHEAD * mount.subscribing().limit
        self._failure: BaseException | None = None

    def add(self, slices: Sequence[Slice]) -> None:
        """Queue records for the lanes."""
        if slices:
            with self._waits:
                self._strands.add(slices)
                self._waits.notify(self._strands.ready)
            self._wake()

    def resume(self, states: Iterable[ShardState]) -> None:
        """Let what has waited go first, each in its strand when nothing of that runs."""
        waits = [state.waits for state in states if state.waits]
        ended = [(each, line, held) for each in waits for line, held in each.ended().items()]
        if ended:
            with self._waits:
                for line in ended:
                    self._strands.resume(*line)
                self._waits.notify(self._strands.ready)
            self._wake()

    def work(self) -> None:
        """Let lanes go on with what was paused; raise what one has died of, where that ends the worker."""
        if self._failure:
            raise self._failure
        with self._waits:
            revived = self._strands.revive()
            self._waits.notify(self._strands.ready if revived else 0)
        if revived:
            self._wake()

    def patience(self, timeout: float) -> float:
        """Look often while a shard waits for the lanes."""
        return min(timeout, WATCHFUL_SECONDS) if self.waiting() else timeout

    def waiting(self) -> set[Shard]:
        """Return the shards of which enough records wait."""
        with self._waits:
            return self._strands.waiting(self._most)

    def drain(self, shards: Collection[Shard], seconds: float) -> None:
        """Withdraw what waits of these shards, and wait for what runs."""
        with self._ended:
            self._strands.withdraw(shards)
            self._ended.wait_for(lambda: not self._strands.running(shards), seconds)

    def clear(self) -> None:
        """Forget what waits and runs."""
        with self._waits:
            self._strands.clear()

    @property
    def calling(self) -> bool:
        """Tell whether a lane is in a call."""
        with self._waits:
            return self._strands.calling

    @property
    def busy(self) -> bool:
        """Tell whether anything waits or runs."""
        with self._waits:
            return bool(self._strands)

    def _take(self) -> Taken | None:
        may = not self._failure and self._gate.enter()
        return self._strands.take(self._clock()) if may else None

    def _exchange(self, taken: Taken, left: Work | None) -> Taken | None:
        """Give work back and take up what this lane may do next; others are woken for the rest."""
        with self._ended:
            self._strands.give_back(taken, left)
            self._ended.notify_all()
            following = self._take()
            # One more where something is left: an idle lane must know when that is due.
            self._waits.notify(self._strands.ready + bool(left))
            return following

    def _died(self, failure: BaseException, taken: Taken, left: Work | None) -> None:
        """Note what ends the worker, before any other lane takes the work that it came from."""
        fields = Fields(subscription=self._mount.name)
        logger.critical("Lane died, the worker ends. %s", fields, exc_info=failure)
        self._failure = failure
        self._exchange(taken, left)

    def _unavailable(self, left: Work | None, error: Exception) -> Work | None:
        """Return the work as it is tried again after an outage."""
        fields = Fields(subscription=self._mount.name, error=error)
        logger.warning("Waiting for the broker or the database. %s", fields)
        return left and replace(left, due=self._clock() + OUTAGE_SECONDS)

    @abstractmethod
    def _wake(self) -> None:
        """Let lanes look for records."""
