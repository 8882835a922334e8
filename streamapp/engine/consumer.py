"""One subscription in one worker: the lane that reads, handles and settles.

One thread polls the broker and gives records to the lanes; with one lane it calls the handler
itself. A keeper preserves the membership while a call takes long, the saver moves checkpoints
meanwhile.
"""

import logging
from collections.abc import Callable

from streamapp.brokers.reading import Polled
from streamapp.engine.assigning import Assigning
from streamapp.engine.delays import Delays
from streamapp.engine.dry_runs import DryRuns
from streamapp.engine.gate import Gate
from streamapp.engine.heartbeat import Heartbeat
from streamapp.engine.holdings import Holdings
from streamapp.engine.lanes.base import Lanes
from streamapp.engine.leaving import Leaving
from streamapp.engine.limit import LetterLimit
from streamapp.engine.reading import Reading
from streamapp.engine.saving import Saver
from streamapp.engine.shard import ShardState, Slice
from streamapp.engine.watching import Watch
from streamapp.exceptions import ReaderFailed
from streamapp.mount import Mount
from streamapp.observability.logs import Fields

logger = logging.getLogger("streamapp.consumer")
POLL_SECONDS = 0.2


class Consumer:
    """Runs one subscription. `run_once` is called by one thread, the lane's."""

    def __init__(
        self,
        mount: Mount,
        heartbeat: Heartbeat,
        gate: Gate,
        holdings: Holdings,
        reading: Reading,
        assigning: Assigning,
        saver: Saver,
        lanes: Lanes,
        delays: Delays,
        dry_runs: DryRuns,
        leaving: Leaving,
        limit: LetterLimit,
        watch: Watch,
        describe: Callable[[int], str],
    ) -> None:
        self.mount = mount
        self.watch = watch
        self.describe = describe
        """Writes a position for people."""
        self.gate = gate
        self.holdings = holdings
        self.reading = reading
        self.saver = saver
        self.lanes = lanes
        self.delays = delays
        self.dry_runs = dry_runs
        self.leaving = leaving
        self.limit = limit
        self._heartbeat = heartbeat
        self._assigning = assigning
        self._limit = mount.subscribing().limit
        self._started = False
        self._registering = False
        self._is_drained = False

    def run_once(self, timeout: float = POLL_SECONDS) -> bool:
        """Do one round: look around, poll, handle. Waits up to `timeout` seconds for records.

        Returns False without doing anything while the worker has no life, and so no leases, or while an
        operator has drained it.
        Raises BrokerUnavailable and django.db.Error when either is down: nothing is lost, call again.
        """
        self.gate.reset()
        if not self._is_alive():
            return False
        if self.holdings.orders.drained or self._is_drained:
            self._follow_drain()
            return False
        self._start()
        self._assigning.take_pending()
        self._move()
        # Before each poll and not after the work, which may have ended in an outage: or every round would
        # bring more records of shards that can't be handled.
        self._balance()
        polled = self._poll(timeout)
        self._assigning.handle(polled.events)
        self._registering = True
        for copy in self.delays.take():
            self.lanes.add([copy])
        if self.mount.hold != "record":
            self.lanes.resume(self.holdings.states.values())
        self.lanes.add(self._register(polled))
        self.lanes.work()
        self._registering = False
        self.dry_runs.run_one()
        return True

    def _follow_drain(self) -> None:
        """Hand everything over once the calls that run have ended; begin anew when the drain is undone."""
        if not self.holdings.orders.drained:
            self._is_drained = False
        elif not self._is_drained and not self.lanes.calling:
            self._clear_lanes()
            self._assigning.hand_over()
            self._is_drained = True
            logger.warning("Worker drained, it holds nothing. %s", Fields(subscription=self.mount.name))

    def finish(self) -> None:
        """Let calls end, save what is settled, let go of all shards; never raises for a failing peer."""
        self.lanes.close()
        self.delays.close()
        self.dry_runs.close()
        self._assigning.hand_over()

    def abandon(self) -> None:
        """Save and let go while the lane is stuck in a call, whose outcome is void; from another thread."""
        self._assigning.give_all_back()

    def look_at_copies(self) -> None:
        """See to delayed records, what a pause means for them, and dry runs; called about once a second."""
        self.limit.follow()
        self.delays.look_once()
        self.dry_runs.look_once()

    @property
    def knows_its_shards(self) -> bool:
        """Tell whether the worker has learnt which shards it reads, and has taken them; if drained, none."""
        return self._is_drained or self._assigning.is_settled

    @property
    def subscription(self) -> int:
        """Return the id of the subscription's row; 0 before the first round."""
        return self._assigning.opening.subscription

    @property
    def busy(self) -> bool:
        """Tell whether work is being handled, or waits to be handled or tried again."""
        return self._registering or self.lanes.busy

    def _is_alive(self) -> bool:
        """Follow the worker's identity: after a death nothing of the old one is touched any more."""
        identity = self._heartbeat.identity
        if identity is None or not self.gate.alive:
            return False
        if identity != self.holdings.worker:
            self._clear_lanes()
            self._assigning.begin_anew(identity)
        return True

    def _start(self) -> None:
        """Make the reader first: a broker may make missing streams for it, and START_AT should see them."""
        if not self._started:
            self.reading.ensure()
            self._assigning.opening.start()
            self._started = True

    def _move(self) -> None:
        """Let reading follow seeks, rewinds and losses."""
        self.reading.close_shards(self.holdings.take_fenced())
        if targets := self.holdings.targets():
            self.reading.open(targets)
            self.holdings.restart(targets)
            self.saver.note_moves()
        self.reading.mirror(self.holdings.take_mirrored())

    def _poll(self, timeout: float) -> Polled:
        """Poll; a reader that is broken for good is replaced, and its shards are taken anew."""
        try:
            return self.reading.poll(self.lanes.patience(timeout))
        except ReaderFailed:
            self._clear_lanes()
            self._assigning.begin_anew(self.holdings.worker)
            raise

    def _clear_lanes(self) -> None:
        self.lanes.clear()
        self.delays.forget()

    def _register(self, polled: Polled) -> list[Slice]:
        """Make the watermark know all records before any is handled."""
        states = self.holdings.states
        with self.holdings.lock:
            slices = [part for chunk in polled.chunks if (part := self.holdings.register(chunk))]
            for shard, end in polled.ends.items():
                if (state := states.get(shard)) and state.target is None:
                    state.watermark.reach(end, polled.asked.get(shard))
        return slices

    def _balance(self) -> None:
        """Let shards wait that can't be handled now, or that were read too far past an unsettled record."""
        waiting = self.lanes.waiting()
        with self.holdings.lock:
            states = self.holdings.states.values()
            full = {state.shard for state in states if self._is_full(state)}
            paused = {state.shard for state in states if state.paused}
            waiting &= self.holdings.states.keys()  # copies in the lanes stop no reading
        self.reading.pause_only(waiting | full | paused)

    def _is_full(self, state: ShardState) -> bool:
        ahead = state.watermark.ahead()
        full = ahead > max(0, self.mount.max_ahead - self._limit) or state.is_scattered()
        if full and not state.full:
            fields = Fields(subscription=self.mount.name, shard=state.shard, records=ahead)
            logger.error("Shard paused, too many records behind an unsettled one. %s", fields)
        if ahead:
            state.watermark.free_memory()
        state.full = full
        return full
