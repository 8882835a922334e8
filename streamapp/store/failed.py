"""Records that left their shards: delayed ones, claimed by compare-and-set, and dead letters."""

from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import DateTimeField, ExpressionWrapper, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from streamapp.copies import Copied, as_arrived
from streamapp.models import DeadLetter, DelayedRecord
from streamapp.records import Record, Shard
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction
from streamapp.store.edits import Edit, edited_columns, plain
from streamapp.store.records import quoted, storable

LETTER_OF_A_PLACE = ("subscription", "stream", "incarnation", "shard", "position")
REPLACED = ("attempts", "exception", "message", "trace", "reason", "created_at")

UNCLAIMED = ("claim", "claimed_until")
HELD_ANEW = ("attempt", "copies", "due_at", "held_reason", *UNCLAIMED, "reason")


@dataclass(frozen=True, slots=True)
class Failure:
    """What ended the last attempt. Without an exception the handler asked for another attempt itself."""

    reason: str
    exception: str = ""
    message: str = ""
    trace: str = ""


NO_FAILURE = Failure("")


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delayed record that a worker has claimed. Its record has the headers of a copy.

    With an `edit` its value is the edited one.
    """

    id: int
    claim: UUID
    record: Record
    edit: Edit | None = None


class DelayedStore:
    """Adds, claims and ends delayed records. Every write after a claim names it, and says if it held."""

    def __init__(self, using: str) -> None:
        self._using = using

    def add(self, subscription: str, record: Record, copied: Copied, seconds: float) -> None:
        """Keep a copy until it is due; one a place, however often the record fails there.

        A claim of its row ends: a worker that has just handled it, of an earlier reading, would delete it.
        """
        row = DelayedRecord(
            **_columns(subscription, record, copied),
            attempt=copied.attempt,
            copies=copied.copies,
            due_at=due_in(seconds),
            created_at=ClockNow(),
        )
        self._rows.bulk_create(
            [row], update_conflicts=True, unique_fields=LETTER_OF_A_PLACE, update_fields=UNCLAIMED
        )

    def keep_held(self, subscription: str, record: Record, copied: Copied, reason: str) -> None:
        """Leave a record to an operator that has no shard any more.

        A claim of its row ends: it was of the delivery that has come to this.
        """
        row = DelayedRecord(
            **_columns(subscription, record, copied),
            attempt=copied.attempt,
            copies=copied.copies,
            held_reason=quoted(reason),
            created_at=ClockNow(),
        )
        self._rows.bulk_create(
            [row], update_conflicts=True, unique_fields=LETTER_OF_A_PLACE, update_fields=HELD_ANEW
        )

    def claim(self, subscription: str, seconds: float, most: int) -> list[Claimed]:
        """Claim due records for so many seconds, the longest due first; nobody else gets them meanwhile."""
        free = Q(claimed_until=None) | Q(claimed_until__lt=Now())
        due = self._rows.filter(free, subscription=subscription, due_at__lte=Now()).order_by("due_at")
        if not due.exists():  # by far the most frequent answer, and it locks nothing
            return []
        claim = uuid4()
        with short_transaction(self._using):
            # Rows that another worker is claiming at this moment are left to it.
            chosen = list(due.select_for_update(skip_locked=True).values_list("id", flat=True)[:most])
            due.filter(id__in=chosen).order_by().update(claim=claim, claimed_until=due_in(seconds))
        claimed = self._rows.filter(id__in=chosen, claim=claim).order_by("due_at") if chosen else []
        return [Claimed(row.pk, claim, _record(row), Edit.of(row)) for row in claimed]

    def renew(self, claims: Mapping[int, UUID], seconds: float) -> None:
        """Keep claimed what is still in hand."""
        self._claimed(claims).update(claimed_until=due_in(seconds))

    def release(self, claims: Mapping[int, UUID]) -> None:
        """Let anybody claim them at once."""
        self._claimed(claims).update(claim=None, claimed_until=None)

    def finish(self, claims: Mapping[int, UUID]) -> set[int]:
        """Delete records that were handled; returns those that were still claimed so."""
        with transaction.atomic(using=self._using):
            mine = set(self._claimed(claims).select_for_update().order_by("id").values_list("id", flat=True))
            self._rows.filter(id__in=mine).delete()
        return mine

    def again(self, claimed: Claimed, copied: Copied, seconds: float) -> bool:
        """Delay a record once more and end the claim; False if the record isn't claimed so any more."""
        changes = {"attempt": copied.attempt, "copies": copied.copies}
        return self._end(claimed, **changes, due_at=due_in(seconds))

    def hold(self, claimed: Claimed, reason: str) -> bool:
        """Leave a record to an operator and end the claim; False if it isn't claimed so any more."""
        return self._end(claimed, held_reason=quoted(reason), due_at=None)

    def _end(self, claimed: Claimed, **changes: Any) -> bool:
        rows = self._claimed({claimed.id: claimed.claim})
        return bool(rows.update(claim=None, claimed_until=None, **changes))

    def _claimed(self, claims: Mapping[int, UUID]) -> "QuerySet[DelayedRecord]":
        """Return the rows that are still claimed so: each by its own claim, which it shares with others."""
        rows_of: defaultdict[UUID, list[int]] = defaultdict(list)
        for row, claim in claims.items():
            rows_of[claim].append(row)
        nothing = Q(id__in=())
        return self._rows.filter(reduce(or_, (Q(id__in=ids, claim=c) for c, ids in rows_of.items()), nothing))

    @property
    def _rows(self) -> "QuerySet[DelayedRecord]":
        return DelayedRecord.objects.using(self._using)


class DeadLetterStore:
    """Writes records that nobody tries any more."""

    def __init__(self, using: str) -> None:
        self._using = using

    def add(
        self,
        subscription: str,
        record: Record,
        copied: Copied,
        failure: Failure,
        edit: Edit | None = None,
    ) -> None:
        """Keep a record with its last failure, which replaces the failure in a letter of the same place.

        Of an edited record the letter keeps the value that arrived, and the edited one beside it.
        """
        edited = edited_columns(record, edit)
        row = DeadLetter(
            **_columns(subscription, record, copied) | {"reason": quoted(failure.reason)} | edited,
            attempts=copied.attempt,
            exception=storable(failure.exception)[:300],
            message=quoted(failure.message),
            trace=storable(failure.trace),
            created_at=ClockNow(),
        )
        DeadLetter.objects.using(self._using).bulk_create(
            [row],
            update_conflicts=True,
            unique_fields=LETTER_OF_A_PLACE,
            update_fields=(*REPLACED, *(edited.keys() - {"value"})),
        )


def _columns(subscription: str, record: Record, copied: Copied) -> dict[str, Any]:
    headers = as_arrived(record.headers)
    return {
        "subscription": subscription,
        "stream": record.shard.stream,
        "incarnation": record.shard.incarnation,
        "shard": record.shard.id,
        "position": record.position,
        "key": record.key,
        "value": record.value,
        "headers": {storable(name): b64encode(value).decode() for name, value in headers.items()},
        "timestamp": record.timestamp,
        "origin": quoted(copied.origin),
        "first_failed_at": copied.first_failed_at,
        "reason": quoted(copied.reason),
    }


def _record(row: DelayedRecord) -> Record:
    copied = Copied(row.attempt, row.origin, row.first_failed_at, row.reason, row.copies)
    arrived = {name: b64decode(value) for name, value in row.headers.items()}
    return Record(
        shard=Shard(row.stream, row.shard, row.incarnation),
        position=row.position,
        value=plain(row.value if row.edited_value is None else row.edited_value),
        key=plain(row.key),
        headers={**arrived, **copied.headers()},
        timestamp=row.timestamp,
    )


def due_in(seconds: float) -> Combinable:
    """Return the moment so many seconds after the statement."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())
