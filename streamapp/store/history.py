"""The past: where checkpoints stood, how subscriptions fared, and for how long that is kept."""

import json
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.functions import Now

from streamapp.models import History, Trend
from streamapp.models.fields import encode_position
from streamapp.positions import SHARD_END
from streamapp.store.connections import short_transaction
from streamapp.store.history_statements import ADD_UP, ALONE, REMEMBER

ROWS_A_DELETE = 5_000
DELETES_A_ROUND = 20
PRUNING = 0x73747265616D
"""The advisory lock of whoever prunes."""


class HistoryStore:
    """Writes and prunes what the desk's plots and a rewind to an earlier moment read."""

    def __init__(self, using: str) -> None:
        self._using = using

    def remember(self, worker: UUID) -> None:
        """Note where the shards of a worker stand, those that differ from their last note, in one statement.

        A shard without a note gets one, and one that stands still gets one an hour. Two notes of a shard
        are half a minute apart at least, so a take-over doesn't double them.
        """
        connection = connections[self._using]
        identity = str(worker) if connection.vendor == "postgresql" else worker.hex
        with connection.cursor() as cursor:
            cursor.execute(REMEMBER[connection.vendor], [identity])

    def add_up(self, handled: Mapping[str, int]) -> None:
        """Add to this minute's totals what was handled since the last call, by subscription."""
        connection = connections[self._using]
        postgresql = connection.vendor == "postgresql"
        given = [list(handled), list(handled.values())] if postgresql else [json.dumps(list(handled.items()))]
        with connection.cursor() as cursor:
            cursor.execute(ADD_UP[connection.vendor], [*given, encode_position(SHARD_END)])

    def prune(self, days: float) -> int:
        """Delete what is older, a bounded number of rows; returns how many.

        Each delete is a short transaction. A worker that finds another one at it leaves it alone.
        """
        old = Now() - timedelta(days=days)
        past: list[QuerySet[Model]] = [
            History.objects.using(self._using).filter(sampled_at__lt=old).order_by("sampled_at"),
            Trend.objects.using(self._using).filter(minute__lt=old).order_by("minute"),
        ]
        return sum(self._prune(rows) for rows in past)

    def _prune(self, rows: "QuerySet[Model]") -> int:
        total = 0
        for _ in range(DELETES_A_ROUND):
            total += (deleted := self._delete_some(rows))
            if deleted < ROWS_A_DELETE:
                break
        return total

    def _delete_some(self, rows: "QuerySet[Model]") -> int:
        with short_transaction(self._using):
            if not self._is_alone():
                return 0
            some = list(rows.values_list("pk", flat=True)[:ROWS_A_DELETE])
            return rows.model._base_manager.using(self._using).filter(pk__in=some).delete()[0] if some else 0

    def _is_alone(self) -> bool:
        connection = connections[self._using]
        if connection.vendor != "postgresql":
            return True  # SQLite has one writer at a time anyway.
        with connection.cursor() as cursor:
            cursor.execute(ALONE, [PRUNING])
            [alone] = cursor.fetchone()
        return bool(alone)
