"""Dry runs of one subscription in one worker: claimed, run in the lane's thread, ended with their result.

An order is a row. A worker that dies keeps its claim until that runs out, then another one runs it.
"""

import logging
import threading

from django.db import Error as DatabaseError

from streamapp.brokers.base import Broker
from streamapp.brokers.looking import Limits
from streamapp.engine.calls import Calls
from streamapp.engine.copy import CopyState
from streamapp.engine.dry_call import DryCall
from streamapp.engine.gate import Gate
from streamapp.engine.holdings import Holdings
from streamapp.engine.work import Work
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.mount import Mount
from streamapp.observability.logs import Fields, text_of
from streamapp.records import Record
from streamapp.store import Store
from streamapp.store.connections import close_old_connections
from streamapp.store.dry_runs import DryOutcome, DryResult, Ordered, Where
from streamapp.store.failed import Claimed

logger = logging.getLogger("streamapp.dry_runs")
CLAIM_SECONDS = 30.0
MOST_LOOKS = 5
"""How many looks, a second each, an order may wait for the lane of the worker that has claimed it."""
ONE_RECORD = Limits(1, 16 * 1024 * 1024, 5.0)


class DryRuns:
    """The dry run that this worker has in hand, one at a time. `run_one` is for the lane's thread."""

    def __init__(
        self,
        mount: Mount,
        broker: Broker,
        store: Store,
        gate: Gate,
        holdings: Holdings,
        calls: Calls,
        call: DryCall,
    ) -> None:
        self._mount = mount
        self._broker = broker
        self._store = store
        self._gate = gate
        self._holdings = holdings
        self._calls = calls
        self._call = call
        self._lock = threading.Lock()
        self._ordered: Ordered | None = None
        self._waiting: tuple[Ordered, Record] | None = None
        self._result: DryResult | None = None
        self._looks = 0

    def look_once(self) -> None:
        """Keep the result of what has run, keep claimed what runs, claim what is ordered.

        Asks nothing for a subscription without DRY_RUN. Blocks for 5 seconds at most while a held record
        is looked up in its shard. Never raises for a failing peer.
        """
        if not self._mount.dry_run:
            return
        try:
            close_old_connections()
            self._end_or_renew()
            if self._must_give_back():
                self._give_back()
            elif self._ordered is None and self._may_claim():
                self._claim()
        except DatabaseError as error:
            logger.warning("Dry runs not looked at, trying again. %s", self._fields(error=error))

    def run_one(self) -> None:
        """Run what was claimed since, if anything was."""
        if self._waiting is None or self._gate.stopping:
            return
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._run(*waiting)

    def _run(self, ordered: Ordered, record: Record) -> None:
        close_old_connections()
        copy = CopyState(Claimed(ordered.id, ordered.claim, record))
        with self._calls.beside(Work((copy.part,))):
            result = self._call.run(copy.part)
        if result.outcome == DryOutcome.FAILED and self._is_down():
            logger.warning("Outage, the dry run is run again. %s", self._fields(dry_run=ordered.id))
            self._ordered = None  # its claim runs out
        else:
            self._result = result

    def _is_down(self) -> bool:
        """Tell whether the database doesn't answer: then the handler may not have failed for its own sake."""
        try:
            close_old_connections()
            self._store.probe()
        except DatabaseError:
            return True
        return False

    def close(self) -> None:
        """Keep the result of what has run and give back what hasn't, because no call starts any more."""
        try:
            self._end_or_renew()
            self._give_back()
        except DatabaseError as error:
            logger.warning("Dry run not ended, another worker does it. %s", self._fields(error=error))

    def _must_give_back(self) -> bool:
        """Tell whether the lane hasn't come to an order: it is in a long call, or drained."""
        if self._waiting is None:
            self._looks = 0
            return False
        self._looks += 1
        return self._looks >= MOST_LOOKS or not self._may_claim()

    def _give_back(self) -> None:
        """Leave to any worker what wasn't begun; it claims none in the same look, so that another one can."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._ordered = None
            self._store.dry_runs.release(waiting[0])

    def _may_claim(self) -> bool:
        if not self._gate.alive or self._gate.stopping:
            return False
        return bool(self._holdings.worker.int) and not self._holdings.orders.drained

    def _end_or_renew(self) -> None:
        ordered, result = self._ordered, self._result
        if ordered is None:
            return
        if result is None:
            self._store.dry_runs.renew(ordered, CLAIM_SECONDS)
            return
        if self._store.dry_runs.finish(ordered, result):
            fields = self._fields(dry_run=ordered.id, outcome=result.outcome, reason=result.said)
            logger.info("Dry run ended, nothing of it was kept. %s", fields)
        self._ordered = self._result = None

    def _claim(self) -> None:
        ordered = self._store.dry_runs.claim(self._mount.name, self._holdings.worker, CLAIM_SECONDS)
        if ordered is None:
            return
        logger.info("Dry run claimed. %s", self._fields(dry_run=ordered.id))
        self._ordered = ordered
        found = self._found(ordered)
        if isinstance(found, DryResult):
            self._result = found
            self._end_or_renew()
        else:
            self._waiting = ordered, found

    def _found(self, ordered: Ordered) -> Record | DryResult:
        """Return the record to run, or the result if it isn't there."""
        if ordered.record is not None:
            return ordered.record
        if ordered.where != Where.SHARD:
            return DryResult(DryOutcome.GONE, "It was redelivered, purged or handled meanwhile.")
        try:
            records = self._broker.peek(ordered.shard, ordered.position, ONE_RECORD).records
        except (BrokerUnavailable, InvalidPosition) as error:
            return DryResult(DryOutcome.GONE, f"The broker doesn't give it: {text_of(error)}")
        if not records or records[0].position != ordered.position:
            return DryResult(DryOutcome.GONE, "The log doesn't keep it any more.")
        return records[0]

    def _fields(self, **more: object) -> Fields:
        return Fields(subscription=self._mount.name, **more)
