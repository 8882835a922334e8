"""Taking failed records out of their shards: written elsewhere first, settled after.

A row is written in the transaction that fences it, under TRANSACTION = "checkpoint" together with the
checkpoint. A stream must have confirmed a record before it is settled. What can't be written stays held,
and is tried again at a bounded rate.
"""

import logging

from django.db import Error as DatabaseError

from streamapp.brokers.base import Broker
from streamapp.engine.committing import Committer, Superseded
from streamapp.engine.database import Outage
from streamapp.engine.departure import Departure, Gone, Stranded, headers_of
from streamapp.engine.shard import Slice
from streamapp.engine.stranding import Stranding
from streamapp.ladder import DATABASE
from streamapp.mount import Mount
from streamapp.observability.logs import Fields, text_of
from streamapp.outcomes import Kind, Outcome
from streamapp.store import Store
from streamapp.store.connections import close_old_connections, short_transaction

logger = logging.getLogger("streamapp.leaving")


class Leaving:
    """Carries failed records of one subscription away; from any thread."""

    def __init__(
        self, mount: Mount, broker: Broker, store: Store, committer: Committer, stranding: Stranding
    ) -> None:
        self._mount = mount
        self._broker = broker
        self._store = store
        self._committer = committer
        self.stranding = stranding

    def leave(self, departure: Departure) -> Outcome:
        """Put a record elsewhere and settle it, or say that it is stranded; blocks as publishing does.

        Raises Outage when the database is down.
        """
        if not departure.part.current:
            return Gone(Kind.DROP)
        if not self.stranding.is_open(departure.to):
            return self._stranded(departure, "refused another record a moment ago")
        try:
            taken = self._carry(departure)
        except Outage:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a record has in it, it must stay; it is reported
            self._refused(departure, error)
            return self._stranded(departure, text_of(error))
        self.stranding.accepted(departure.to)
        return self._gone(departure) if taken else Gone(Kind.DROP)

    def try_again(self) -> None:
        """Carry away what was stranded, as far as its destinations may be tried again.

        Each is tried every ten seconds until it takes a record. Never raises for a failing peer.
        """
        refused = []
        for departure in self.stranding.take_due():
            was_open = self.stranding.is_open(departure.to)
            if self._taken(departure):
                self._committer.settled_late(departure.part)
            elif was_open:
                refused.append(departure)
            else:
                self.stranding.add(departure)
        # Behind the others: one that is refused for its own sake shall not keep them here.
        for departure in refused:
            self.stranding.add(departure)

    def _taken(self, departure: Departure) -> bool:
        try:
            return not isinstance(self.leave(departure), Stranded)
        except Outage:
            return False

    def _carry(self, departure: Departure) -> bool:
        if departure.to == DATABASE:
            return self._write(departure)
        self._publish(departure)
        return True

    def _write(self, departure: Departure) -> bool:
        """Write the row and settle the record; False if its shard or its claim is somebody else's by now."""
        part = departure.part
        # The row of a copy goes with its dead letter; one that is only delayed again stays.
        written = [part] if self._writes(departure) else []
        try:
            with self._committer.writing([part.state]):
                with short_transaction(self._store.using):
                    self._committer.hold_fast([part])
                    self._add_row(departure)
                    places = self._committer.places(written)
                    self._committer.write(places)
                self._committer.confirm([part], places)
        except Superseded as error:
            fields = self._fields(departure, error=error)
            logger.warning("Record not taken away, its shard or its claim is somebody else's. %s", fields)
            self._let_go(part)
            return False
        return True

    def _let_go(self, part: Slice) -> None:
        """Void what is somebody else's; raises Outage while nothing tells that it is."""
        self._committer.let_go(part)
        if part.current:
            raise Outage("The row of the shard isn't what this worker believes.")

    def _writes(self, departure: Departure) -> bool:
        """Tell whether what settles the record is written together with its new row."""
        if departure.part.state.claimed:
            return departure.failure is not None
        return self._mount.is_exact

    def _add_row(self, departure: Departure) -> None:
        name, record, copied = self._mount.name, departure.record, departure.copied
        claimed = departure.part.state.claimed
        if departure.failure:
            edit = claimed.edit if claimed else None
            self._store.dead_letters.add(name, record, copied, departure.failure, edit)
        elif claimed is None:
            self._store.delayed.add(name, record, copied, departure.seconds)
        elif not self._store.delayed.again(claimed, copied, departure.seconds):
            raise Superseded("Another worker has claimed the copy.")

    def _publish(self, departure: Departure) -> None:
        record = departure.record
        self._broker.publish(
            departure.to, record.value, key=record.key, headers=headers_of(self._mount.name, departure)
        )
        # The row of a copy is deleted, and the checkpoint saved, as after a handler's ack.
        self._committer.confirm([departure.part], {})

    def _refused(self, departure: Departure, error: Exception) -> None:
        if isinstance(error, DatabaseError):
            self._probe(error)
        self.stranding.refused(departure, text_of(error))
        fields = self._fields(departure, error=error)
        logger.error("Record not taken away, it stays held and is tried again. %s", fields)

    def _probe(self, error: Exception) -> None:
        """Raise Outage if the database doesn't answer: then it refused nothing."""
        try:
            close_old_connections()
            self._store.probe()
        except DatabaseError:
            raise Outage from error

    def _gone(self, departure: Departure) -> Outcome:
        if departure.failure:
            logger.warning("Record given up, it is a dead letter now. %s", self._fields(departure))
            return Gone(Kind.DROP, f"dead letter: {departure.reason}")
        logger.info("Record copied, to be tried again. %s", self._fields(departure))
        return Gone(Kind.RETRY_AFTER, departure.reason, departure.seconds)

    def _stranded(self, departure: Departure, why: str) -> Outcome:
        what = "dead letter" if departure.failure else "copy"
        departure.part.state.stranded = True
        text = f"{what} not written to {departure.to}: {why}; {departure.reason}"
        return Stranded(Kind.HOLD, text, 0.0, departure)

    def _fields(self, departure: Departure, **more: object) -> Fields:
        return Fields(
            subscription=self._mount.name,
            origin=departure.copied.origin,
            attempt=departure.copied.attempt,
            to=departure.to,
            reason=departure.reason,
            **more,
        )
