"""Calling a handler in a task: decoded, in a transaction of its own, and judged as in a worker."""

import logging
import time
from typing import Any

from streamapp.conf import configuration
from streamapp.context import BatchContext, Context
from streamapp.contrib.celery.moving import TaskMoves
from streamapp.copies import made_before
from streamapp.engine.calling import caller, verified
from streamapp.engine.copy import CopyChunk
from streamapp.engine.database import LaneDatabase, Outage
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.failing import FAILURES, judged
from streamapp.exceptions import BrokerUnavailable, Undecodable
from streamapp.mount import Mount
from streamapp.observability.logs import Fields, text_of
from streamapp.outcomes import Outcome
from streamapp.records import Record
from streamapp.store import Store

logger = logging.getLogger("streamapp.celery")


class TaskCall:
    """One call of a handler for one record, in the thread of the task."""

    def __init__(self, mount: Mount, record: Record, loop: EventLoop) -> None:
        self._mount = mount
        self._record = record
        store = Store(configuration().DATABASE)
        self._call = caller(mount, store.using, loop)
        self._database = LaneDatabase(store, loop, time.monotonic, eager=mount.transaction != "none")

    def outcome(self) -> Outcome:
        """Call the handler and return what it leads to.

        Raises Outage while the database or the broker is down, Undecodable for a record that the handler's
        type can't be made of, and django.db.Error if the database is down before the call.
        """
        self._database.refresh()
        value = self._decoded()
        try:
            return self._called(value)
        except FAILURES as error:
            if isinstance(error, BrokerUnavailable) or self._database.failed(error):
                raise Outage(text_of(error)) from error
            fields = Fields(subscription=self._mount.name, error=text_of(error, repr))
            logger.warning("Handler failed. %s", fields, exc_info=error)
            return judged(self._mount, error, self._record, 1)

    def _decoded(self) -> Any:
        record, decode = self._record, self._mount.decode
        if decode is None:
            return record
        try:
            return None if record.value is None else decode(record.value)
        except FAILURES as error:
            raise Undecodable(f"{type(error).__name__}: {text_of(error)}") from error

    def _called(self, value: Any) -> Outcome:
        given = [value] if self._mount.shape.is_batch else value
        arguments = [given, self._context()] if self._mount.shape.takes_context else [given]
        outcome = verified(self._mount, self._call(*arguments), given)
        if isinstance(outcome, list):
            return outcome[0] if outcome else Outcome.retry("no outcome was returned")
        return outcome

    def _context(self) -> BatchContext:
        mover = TaskMoves(self._mount)
        if self._mount.shape.is_batch:
            return BatchContext(mover, 1 + made_before(self._record.headers), None)
        return Context(mover, 1, None, CopyChunk(self._record), 0)
