"""What record and batch handling have in common: judging failures and setting records aside."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.db import Error as DatabaseError

from streamapp.copies import as_arrived
from streamapp.engine.calling import Call
from streamapp.engine.committing import Committer
from streamapp.engine.database import LaneDatabase, Outage
from streamapp.engine.departure import Gone, Stranded
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.failing import judged
from streamapp.engine.gate import Gate
from streamapp.engine.moving import Moves
from streamapp.engine.rungs import Rungs
from streamapp.engine.shard import Slice
from streamapp.engine.waits import sifted
from streamapp.engine.watching import Watch
from streamapp.engine.work import Work
from streamapp.exceptions import BrokerUnavailable
from streamapp.mount import Mount
from streamapp.observability.logs import Fields, text_of
from streamapp.observability.metrics import RECORDS_FAILED
from streamapp.outcomes import Kind, Outcome
from streamapp.store import Store
from streamapp.store.connections import close_old_connections

logger = logging.getLogger("streamapp.handling")
OUTAGE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a handling needs beside the mount: all by constructor, none of it global.

    `describe` writes a position for people.
    """

    store: Store
    gate: Gate
    mover: Moves
    committer: Committer
    rungs: Rungs
    loop: EventLoop
    clock: Callable[[], float]
    state: Any
    describe: Callable[[int], str]
    watch: Watch


class Handling(ABC):
    """Turns work into outcomes, in the thread of the lane."""

    def __init__(self, mount: Mount, call: Call, surroundings: Surroundings) -> None:
        self._mount = mount
        self._call = call
        self._store = surroundings.store
        self._gate = surroundings.gate
        self._mover = surroundings.mover
        self._rungs = surroundings.rungs
        self._clock = surroundings.clock
        self._state = surroundings.state
        self._describe = surroundings.describe
        self.watch = surroundings.watch
        # Many lanes that need no transaction shall not open a connection each.
        eager = mount.lanes == 1 or mount.transaction != "none"
        self._database = LaneDatabase(self._store, surroundings.loop, self._clock, eager=eager)

    def handle(self, work: Work) -> Work | None:
        """Handle work until it is done or something else must happen first; return what is left."""
        self._database.refresh()
        if self._mount.hold != "record" and not (work := sifted(work)).slices:
            return None
        return self.watch.calls.handle(work, self._handle)

    @abstractmethod
    def _handle(self, work: Work) -> Work | None: ...

    def _failed(self, error: BaseException, part: Slice, index: int, attempt: int) -> Outcome:
        """Judge what a handler raised; raises Outage when the surroundings failed and not the handler."""
        self._report(error, part, index)
        return judged(self._mount, error, part.chunk.record(index), attempt)

    def _report(self, error: BaseException, part: Slice, index: int) -> None:
        """Log what a handler raised; raises Outage when the surroundings failed and not the handler."""
        if isinstance(error, BrokerUnavailable) or self._database.failed(error):
            logger.warning(
                "Outage, the record is delivered again. %s", self._fields(part, index, error=error)
            )
            raise Outage from error
        self.watch.tally.add(RECORDS_FAILED)
        reason = text_of(error, repr)
        logger.warning("Handler failed. %s", self._fields(part, index, error=reason), exc_info=error)

    def _settle(self, part: Slice, index: int, outcome: Outcome) -> None:
        """Apply an outcome to its record; one of an older generation settles nothing."""
        if isinstance(outcome, Gone):
            return
        if not part.current:
            return
        if outcome.settles:
            part.span.settle(index)
            if outcome.kind is Kind.DROP:
                logger.warning("Record dropped. %s", self._fields(part, index, reason=outcome.reason))
        elif part.state.hold(part, index, outcome.reason):
            logger.warning("Record held. %s", self._fields(part, index, reason=outcome.reason))
            if isinstance(outcome, Stranded):
                self._rungs.keep(outcome)

    def _conclude(self, part: Slice, index: int, outcome: Outcome) -> None:
        """Apply what the handler said of a record."""
        self._settle(part, index, outcome)

    def _set_aside(self, part: Slice, index: int, error: BaseException) -> Outcome:
        """Return what a record that can't be decoded is mounted to come to; raises Outage."""
        reason = f"{type(error).__name__}: {text_of(error)}"
        if self._mount.on_undecodable == "quarantine":
            self._quarantine(part, index, reason)
        outcome = Outcome.hold if self._mount.on_undecodable == "hold" else Outcome.drop
        return outcome(f"undecodable: {reason}")

    def _quarantine(self, part: Slice, index: int, reason: str) -> None:
        record, edit = part.chunk.record(index), None
        if claimed := part.state.claimed:
            record, edit = replace(record, headers=as_arrived(record.headers)), claimed.edit
        try:
            self._store.records.quarantine(self._mount.name, record, reason, edit)
        except DatabaseError as error:
            close_old_connections()
            raise Outage from error
        logger.warning("Record quarantined. %s", self._fields(part, index))

    def _fields(self, part: Slice, index: int, **more: object) -> Fields:
        position = self._describe(part.chunk.position(index))
        return Fields(subscription=self._mount.name, shard=part.chunk.shard, position=position, **more)
