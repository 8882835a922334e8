"""Dry runs: ordered by operators, claimed by compare-and-set, ended with their result."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from streamapp.copies import Copied
from streamapp.models import DeadLetter, DelayedRecord, DryOutcome, DryRun, Quarantined, Where
from streamapp.records import Record, Shard
from streamapp.store.audit import Asker
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction
from streamapp.store.edits import plain
from streamapp.store.failed import NO_FAILURE, Failure, due_in
from streamapp.store.records import quoted, storable
from streamapp.store.set_aside import arrived
from streamapp.unsent import Unsent

__all__ = ["DryOutcome", "DryResult", "DryRunStore", "Ordered", "Where"]

TABLES = {
    Where.DEAD_LETTERS: DeadLetter,
    Where.QUARANTINE: Quarantined,
    Where.DELAYED: DelayedRecord,
}
MOST_CLAIMS = 3
"""A record that ends every worker that tries it shall not go round for ever."""
MOST_UNSENT, UNSENT_BYTES = 20, 10_000


@dataclass(frozen=True, slots=True)
class Ordered:
    """A dry run that a worker has claimed: of which record, as far as it is in the database.

    Without a record it is the one at `position` of `shard`, or the row that had it is gone.
    """

    id: int
    claim: UUID
    where: str
    shard: Shard
    position: int
    record: Record | None


@dataclass(frozen=True, slots=True)
class DryResult:
    """What came of a dry run. `outcome` is one of DryOutcome; `said` is the handler's reason."""

    outcome: str
    said: str = ""
    failure: Failure = NO_FAILURE
    milliseconds: float | None = None
    moves: Sequence[str] = ()
    unsent: Sequence[Unsent] = ()


class DryRunStore:
    """Adds, claims and ends dry runs. Every write after a claim names it, and says if it held."""

    def __init__(self, using: str) -> None:
        self._using = using

    def add(self, subscription: str, where: str, record: tuple[Shard, int], place: str, asker: Asker) -> int:
        """Order a dry run of the record at a shard's position; returns its number."""
        shard, position = record
        row = DryRun(
            subscription=subscription,
            where=where,
            stream=shard.stream,
            incarnation=shard.incarnation,
            shard=shard.id,
            position=position,
            place=place,
            asked_by=storable(asker.name)[:200],
            reason=storable(asker.reason),
            asked_at=ClockNow(),
        )
        row.save(using=self._using, force_insert=True)
        return int(row.pk)

    def claim(self, subscription: str, worker: UUID, seconds: float) -> Ordered | None:
        """Claim the oldest order for so many seconds; nobody else gets it meanwhile."""
        free = self._open.filter(
            Q(claimed_until=None) | Q(claimed_until__lt=Now()), subscription=subscription
        ).order_by("pk")
        if not free.exists():  # by far the most frequent answer, and it locks nothing
            return None
        claim = uuid4()
        with short_transaction(self._using):
            free.filter(claims__gte=MOST_CLAIMS).order_by().update(
                ended_at=ClockNow(), outcome=DryOutcome.ABANDONED
            )
            chosen = list(free.select_for_update(skip_locked=True).values_list("pk", flat=True)[:1])
            free.filter(pk__in=chosen).order_by().update(
                claim=claim,
                claims=F("claims") + 1,
                worker=worker,
                claimed_at=ClockNow(),
                claimed_until=due_in(seconds),
            )
        row = self._open.filter(pk__in=chosen, claim=claim).first()
        return None if row is None else self._ordered(row, claim)

    def renew(self, ordered: Ordered, seconds: float) -> None:
        """Keep an order claimed that is in hand."""
        self._claimed(ordered).update(claimed_until=due_in(seconds))

    def release(self, ordered: Ordered) -> None:
        """Let anybody claim an order that wasn't begun."""
        self._claimed(ordered).update(claim=None, claimed_until=None, claims=F("claims") - 1)

    def finish(self, ordered: Ordered, result: DryResult) -> bool:
        """Keep a result; False if the order isn't claimed so any more, and another one's result counts."""
        changes = {
            "ended_at": ClockNow(),
            "outcome": result.outcome,
            "said": quoted(result.said),
            "exception": storable(result.failure.exception)[:300],
            "message": quoted(result.failure.message),
            "trace": storable(result.failure.trace),
            "milliseconds": result.milliseconds,
            "moves": [quoted(move) for move in result.moves],
            "unsent": _listed(result.unsent),
        }
        return bool(self._claimed(ordered).update(**changes))

    def _ordered(self, row: Any, claim: UUID) -> Ordered:
        shard = Shard(row.stream, row.shard, row.incarnation)
        record = None if row.where == Where.SHARD else self._record(row)
        return Ordered(row.pk, claim, row.where, shard, row.position, record)

    def _record(self, order: Any) -> Record | None:
        """Return the record as a redelivery would bring it: as edited, as a copy at its first attempt."""
        same = ("subscription", "stream", "incarnation", "shard", "position")
        rows = TABLES[order.where]._default_manager.using(self._using)
        row: Any = rows.filter(**{name: getattr(order, name) for name in same}).first()
        if row is None:
            return None
        record, first = arrived(row), getattr(row, "first_failed_at", row.created_at)
        copied = Copied(1, getattr(row, "origin", "") or order.place, first, row.reason)
        edited = plain(row.edited_value)
        value = record.value if edited is None else edited
        return replace(record, value=value, headers={**record.headers, **copied.headers()})

    def _claimed(self, ordered: Ordered) -> "QuerySet[DryRun]":
        return self._open.filter(pk=ordered.id, claim=ordered.claim)

    @property
    def _open(self) -> "QuerySet[DryRun]":
        return DryRun.objects.using(self._using).filter(ended_at=None)


def _listed(unsent: Sequence[Unsent]) -> list[dict[str, Any]]:
    listed = [_shortened(record) for record in unsent[:MOST_UNSENT]]
    more = len(unsent) - len(listed)
    return [*listed, {"more": more}] if more else listed


def _shortened(record: Unsent) -> dict[str, Any]:
    """Return what is kept of a record that wasn't sent; of a large one the beginning."""
    return {
        "destination": storable(record.destination),
        "bytes": len(record.value or b""),
        "key": _base64(record.key),
        "value": _base64(record.value),
        "headers": {storable(name): _base64(value) for name, value in record.headers.items()},
    }


def _base64(payload: bytes | None) -> str | None:
    return None if payload is None else b64encode(payload[:UNSENT_BYTES]).decode()
