"""Deleting rows that are kept no longer, a bounded number in a transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Model, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from streamapp.models import DeadLetter, DryRun, Quarantined, Skip, SkippedRecord, Worker
from streamapp.models.worker import WorkerState
from streamapp.retention import Keep
from streamapp.store.audit import Asker, Deed, add_entry
from streamapp.store.clock import ago
from streamapp.store.workers import FORGET_AFTER

DAY_SECONDS = 86_400
WHOLE = Q()


@dataclass(frozen=True, slots=True)
class Table:
    """What grows: dated by `moment`, counted by `group`; only rows of the `condition` may go.

    `subscription` leads to the name of a row's subscription. What is `audited` leaves a trace. `keep` is
    what is kept of it where that isn't in the settings.
    """

    name: str
    model: type[Model]
    moment: str
    group: str
    subscription: str
    condition: Q = WHOLE
    audited: bool = False
    keep: Keep | None = None

    @property
    def words(self) -> str:
        """Return what its rows are called."""
        return self.name.lower().replace("_", " ")


OF_A_SHARD = ("checkpoint", "checkpoint__subscription__name")
TABLES = (
    Table("DEAD_LETTERS", DeadLetter, "created_at", "subscription", "subscription", audited=True),
    Table("QUARANTINE", Quarantined, "created_at", "subscription", "subscription", audited=True),
    Table("DRY_RUNS", DryRun, "ended_at", "subscription", "subscription", ~Q(ended_at=None)),
    Table("SKIPS", Skip, "skipped_at", *OF_A_SHARD),
    Table("SKIPPED_RECORDS", SkippedRecord, "ended_at", *OF_A_SHARD, ~Q(ended_at=None)),
    Table(
        "WORKERS",
        Worker,
        "heartbeat_at",
        "state",
        "state",
        ~Q(state=WorkerState.ALIVE) & Q(leases=None),
        keep=Keep(FORGET_AFTER.days, None),
    ),
)


@dataclass(frozen=True, slots=True)
class Old:
    """A row that may go: its key, its subscription, and its moment when it was looked at."""

    pk: Any
    subscription: str
    moment: datetime


class PruneStore:
    """Finds and deletes; by the database's clock."""

    def __init__(self, using: str) -> None:
        self._using = using

    def surplus(self, table: Table, keep: Keep, most: int) -> list[Old]:
        """Find rows that are kept no longer, at most so many."""
        found: dict[Any, Old] = {}
        for rows in (self._too_old(table, keep), self._too_many(table, keep)):
            values = rows.values_list("pk", table.subscription, table.moment)
            found.update((pk, Old(pk, *more)) for pk, *more in values[: most - len(found)])
        return list(found.values())

    def delete(self, table: Table, rows: Sequence[Old], asker: Asker) -> Counter[str]:
        """Delete rows in one transaction, with the audit's rows; returns how many of each subscription.

        A row that was written anew since it was looked at (a dead letter of the same place) stays.
        """
        with transaction.atomic(using=self._using):
            unchanged = {f"{table.moment}__lte": max(row.moment for row in rows)}
            found = self._rows(table).filter(pk__in=[row.pk for row in rows], **unchanged)
            mine = set(found.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
            table.model._base_manager.using(self._using).filter(pk__in=mine).delete()
            gone = Counter(row.subscription for row in rows if row.pk in mine)
            if table.audited:
                self._audit(table, gone, asker)
        return gone

    def _audit(self, table: Table, gone: Counter[str], asker: Asker) -> None:
        for subscription, rows in gone.items():
            add_entry(self._using, asker, Deed("prune", subscription, table.words, result=f"{rows} deleted"))

    def _too_old(self, table: Table, keep: Keep) -> "QuerySet[Any]":
        if keep.days is None:
            return self._rows(table).none()
        moment = ago(keep.days * DAY_SECONDS)
        return self._rows(table).filter(**{f"{table.moment}__lt": moment}).order_by()

    def _too_many(self, table: Table, keep: Keep) -> "QuerySet[Any]":
        if keep.rows is None:
            return self._rows(table).none()
        counted = self._rows(table).order_by().values(table.group).annotate(n=Count("pk"))
        full = [row[table.group] for row in counted.filter(n__gt=keep.rows)]
        newest_first = [F(table.moment).desc(), F("pk").desc()]
        rank = Window(RowNumber(), partition_by=[F(table.group)], order_by=newest_first)
        rows = self._rows(table).filter(**{f"{table.group}__in": full}).annotate(rank=rank)
        surplus: QuerySet[Any] = rows.filter(rank__gt=keep.rows).order_by()
        return surplus

    def _rows(self, table: Table) -> "QuerySet[Any]":
        rows: QuerySet[Any] = table.model._base_manager.using(self._using).filter(table.condition)
        return rows
