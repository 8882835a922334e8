"""Records set aside, as operators move them: edited, made due, deleted; each a conditional write."""

from base64 import b64decode
from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, connections, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from streamapp.models import DeadLetter, DelayedRecord, Quarantined
from streamapp.records import Record, Shard
from streamapp.store.clock import ClockNow
from streamapp.store.edits import plain
from streamapp.store.records import storable

SetAside = type[DeadLetter] | type[DelayedRecord] | type[Quarantined]
COPIED = (
    "subscription",
    "stream",
    "incarnation",
    "shard",
    "position",
    "key",
    "value",
    "headers",
    "timestamp",
    "reason",
    "edited_value",
    "edited_by",
    "edited_at",
)


class SetAsideStore:
    """Moves rows of one table, inside the caller's transaction.

    A delayed record that a worker has claimed is the worker's: nothing here touches it.
    """

    def __init__(self, using: str, model: SetAside) -> None:
        self._using = using
        self._model = model

    def lock(self, ids: Collection[int]) -> list[Any]:
        """Return those of the rows that are still there and free, locked until the transaction ends."""
        rows = self._free.filter(pk__in=ids)
        if not connections[self._using].features.has_select_for_update:
            rows.update(reason=F("reason"))  # SQLite takes its lock with a write
        return list(rows.select_for_update().order_by("pk"))

    def edit(self, row: Any, value: bytes | None, by: str) -> None:
        """Put an edited value beside the one that arrived, which stays; None takes the edited one away."""
        edited = {"edited_value": value, "edited_by": storable(by)[:200], "edited_at": ClockNow()}
        nothing = {"edited_value": None, "edited_by": "", "edited_at": None}
        self._free.filter(pk=row.pk).update(**(nothing if value is None else edited), **self._unclaimed)

    def deliver(self, row: Any, origin: str) -> bool:
        """Let a record be delivered to its subscription now, with its attempts counted from 1.

        It then is a delayed record and nothing else. Returns False, with nothing changed, if another copy
        of the same record waits already.
        """
        if isinstance(row, DelayedRecord):
            anew = {"due_at": Now(), "held_reason": "", "attempt": 1, "copies": 0}
            self._free.filter(pk=row.pk).update(**anew, **self._unclaimed)
            return True
        copy = DelayedRecord(
            **{name: getattr(row, name) for name in COPIED},
            origin=storable(getattr(row, "origin", "") or origin),
            first_failed_at=getattr(row, "first_failed_at", row.created_at),
            attempt=1,
            copies=0,
            due_at=Now(),
            created_at=ClockNow(),
        )
        try:
            with transaction.atomic(using=self._using):
                copy.save(using=self._using, force_insert=True)
        except IntegrityError:
            return False
        self.delete(row)
        return True

    def delete(self, row: Any) -> None:
        """Delete a row that is locked."""
        self._model._default_manager.using(self._using).filter(pk=row.pk).delete()

    @property
    def _unclaimed(self) -> dict[str, None]:
        """Return what ends a claim that has run out: whoever had it shall write nothing over this."""
        return {"claim": None, "claimed_until": None} if self._model is DelayedRecord else {}

    @property
    def _free(self) -> "QuerySet[Any]":
        rows = self._model._default_manager.using(self._using)
        if self._model is not DelayedRecord:
            return rows.all()
        return rows.filter(Q(claimed_until=None) | Q(claimed_until__lt=Now()))


def arrived(row: Any) -> Record:
    """Return the record of a row as it arrived."""
    return Record(
        shard=Shard(row.stream, row.shard, row.incarnation),
        position=row.position,
        value=plain(row.value),
        key=plain(row.key),
        headers={name: b64decode(value) for name, value in row.headers.items()},
        timestamp=row.timestamp,
    )
