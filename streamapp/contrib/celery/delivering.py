"""What becomes of a record in its task: done, again by Celery, or put where an operator finds it.

Its shard has moved on, so nothing may get lost here: a task ends only when its record is settled, stands in
the database, or has become another task.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NoReturn

from django.db import Error as DatabaseError

from streamapp import registry
from streamapp.conf import configuration
from streamapp.contrib.celery.again import OUTAGE_SECONDS, Again
from streamapp.contrib.celery.calling import TaskCall
from streamapp.contrib.celery.payloads import payload_of
from streamapp.copies import Copied, as_arrived, made_before
from streamapp.engine.database import Outage
from streamapp.engine.event_loop import EventLoop
from streamapp.engine.failing import Failed
from streamapp.exceptions import StreamappError, Undecodable
from streamapp.mount import Mount
from streamapp.observability.logs import Fields, text_of
from streamapp.outcomes import Kind, Outcome
from streamapp.records import Record
from streamapp.store import Store
from streamapp.store.connections import close_old_connections
from streamapp.store.failed import Failure

logger = logging.getLogger("streamapp.celery")
_loop = EventLoop()


@dataclass(frozen=True, slots=True)
class Delivering:
    """One record in the hands of one task, which `again` sends another time."""

    again: Again
    record: Record

    def run(self) -> None:
        """Handle the record, or raise what Celery takes for another try."""
        try:
            mount = registry.mount(self._subscription)
            self._settle(mount, self._outcome(mount))
        except Outage as error:
            self._wait(error)
        except DatabaseError as error:
            close_old_connections()
            self._wait(error)
        except StreamappError as error:
            # Not mounted, or not soundly: a release on its way, which must cost no record.
            self._wait(error)

    def _outcome(self, mount: Mount) -> Outcome:
        try:
            return TaskCall(mount, self.record, _loop).outcome()
        except Undecodable as error:
            if mount.on_undecodable == "quarantine":
                self._store.records.quarantine(mount.name, self.record, text_of(error))
            return Outcome.drop(f"undecodable: {text_of(error)}")

    def _settle(self, mount: Mount, outcome: Outcome) -> None:
        if outcome.kind is Kind.DROP:
            logger.warning("Record dropped. %s", self._fields(reason=outcome.reason))
        elif outcome.kind is Kind.HOLD:
            self._store.delayed.keep_held(mount.name, self.record, self._copied(outcome), outcome.reason)
            logger.warning("Record held. %s", self._fields(reason=outcome.reason))
        elif outcome.kind in (Kind.RETRY, Kind.RETRY_AFTER):
            self._again_or_never(outcome)

    def _again_or_never(self, outcome: Outcome) -> None:
        copied = self._copied(outcome)
        if self._is_last(outcome, copied):
            failure = outcome.failure if isinstance(outcome, Failed) else Failure(outcome.reason)
            self._store.dead_letters.add(self._subscription, self.record, copied, failure)
            logger.warning(
                "Record given up, it is a dead letter now. %s", self._fields(reason=outcome.reason)
            )
            return
        headers = {**as_arrived(self.record.headers), **copied.copy().headers()}
        wait = outcome.delay if outcome.kind is Kind.RETRY_AFTER else self.again.task.default_retry_delay
        self.again.later(payload_of(replace(self.record, headers=headers)), wait)

    def _is_last(self, outcome: Outcome, copied: Copied) -> bool:
        if isinstance(outcome, Failed) and outcome.fatal:
            return True
        most = self.again.task.max_retries
        return most is not None and copied.attempt > most

    def _copied(self, outcome: Outcome) -> Copied:
        """Return how far the record has come with this attempt."""
        if before := Copied.read(self.record.headers):
            return replace(before, reason=outcome.reason)
        origin = f"{self.record.shard}@{self._described()}"
        return Copied(made_before(self.record.headers) + 1, origin, datetime.now(UTC), outcome.reason)

    def _wait(self, error: Exception) -> NoReturn:
        """Come again later, as the attempt that it was."""
        logger.warning("Outage, the record is delivered again. %s", self._fields(error=text_of(error)))
        self.again.later(payload_of(self.record), OUTAGE_SECONDS)

    @property
    def _subscription(self) -> str:
        return self.again.subscription

    @property
    def _store(self) -> Store:
        return Store(configuration().DATABASE)

    def _described(self) -> str:
        mount = registry.mount(self._subscription)
        describe: Callable[[int], str] = registry.broker(mount.broker).describe
        return describe(self.record.position)

    def _fields(self, **more: object) -> Fields:
        shard, position = self.record.shard, self.record.position
        return Fields(subscription=self._subscription, shard=shard, position=position, **more)
