"""The statements that Django's query language can't express: many rows, each with its own condition.

One statement for a thousand rows costs what four single ORM updates do. PostgreSQL takes arrays,
SQLite one JSON document.
"""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import NotSupportedError

Statement = tuple[str, list[Any]]

_SAVE = {
    "postgresql": """
        WITH new AS (
          SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::boolean[])
            AS given (id, epoch, position, settled, first)
        ), locked AS (
          SELECT id FROM streamapp_checkpoint WHERE id IN (SELECT id FROM new) ORDER BY id FOR UPDATE
        )
        UPDATE streamapp_checkpoint AS stored
        SET position = new.position, settled = new.settled, saved_at = clock_timestamp()
        FROM new JOIN locked ON locked.id = new.id
        WHERE stored.id = new.id AND stored.epoch = new.epoch
          AND (new.first OR stored.position < new.position
            OR (stored.position = new.position AND stored.settled <> new.settled))
        RETURNING stored.id""",
    "sqlite": """
        UPDATE streamapp_checkpoint SET position = new.value->>2, settled = new.value->>3,
          saved_at = strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')
        FROM json_each(%s) AS new
        WHERE streamapp_checkpoint.id = new.value->>0 AND streamapp_checkpoint.epoch = new.value->>1
          AND (new.value->>4 OR streamapp_checkpoint.position < new.value->>2
            OR (streamapp_checkpoint.position = new.value->>2
              AND streamapp_checkpoint.settled <> new.value->>3))
        RETURNING streamapp_checkpoint.id""",
}
_EXCHANGE = {
    "postgresql": """
        WITH new AS (
          SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[])
            AS given (id, epoch, old_position, old_settled, position, settled)
        ), locked AS (
          SELECT id FROM streamapp_checkpoint WHERE id IN (SELECT id FROM new) ORDER BY id FOR UPDATE
        )
        UPDATE streamapp_checkpoint AS stored
        SET position = new.position, settled = new.settled, saved_at = clock_timestamp()
        FROM new JOIN locked ON locked.id = new.id
        WHERE stored.id = new.id AND stored.epoch = new.epoch
          AND stored.position = new.old_position AND stored.settled = new.old_settled
        RETURNING stored.id""",
    "sqlite": """
        UPDATE streamapp_checkpoint SET position = new.value->>4, settled = new.value->>5,
          saved_at = strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')
        FROM json_each(%s) AS new
        WHERE streamapp_checkpoint.id = new.value->>0 AND streamapp_checkpoint.epoch = new.value->>1
          AND streamapp_checkpoint.position = new.value->>2
          AND streamapp_checkpoint.settled = new.value->>3
        RETURNING streamapp_checkpoint.id""",
}
_MOVE = {
    "postgresql": """
        UPDATE streamapp_checkpoint AS stored SET position = new.position, settled = '',
          epoch = stored.epoch + 1,
          revision = stored.revision + 1, saved_at = clock_timestamp()
        FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS new (id, revision, position)
        WHERE stored.id = new.id AND stored.revision = new.revision""",
    "sqlite": """
        UPDATE streamapp_checkpoint SET position = new.value->>2, settled = '',
          epoch = epoch + 1,
          revision = revision + 1, saved_at = strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')
        FROM json_each(%s) AS new
        WHERE streamapp_checkpoint.id = new.value->>0 AND streamapp_checkpoint.revision = new.value->>1""",
}
_DIFFERENCES = {
    "postgresql": """
        SELECT stored.id, stored.epoch, stored.position, stored.settled, lease.worker_id
        FROM unnest(%s::bigint[], %s::bigint[]) AS known (id, epoch)
        JOIN streamapp_checkpoint AS stored ON stored.id = known.id
        JOIN streamapp_lease AS lease ON lease.checkpoint_id = known.id
        WHERE stored.epoch <> known.epoch OR lease.worker_id IS DISTINCT FROM %s::uuid""",
    "sqlite": """
        SELECT stored.id, stored.epoch, stored.position, stored.settled, lease.worker_id
        FROM json_each(%s) AS known
        JOIN streamapp_checkpoint AS stored ON stored.id = known.value->>0
        JOIN streamapp_lease AS lease ON lease.checkpoint_id = stored.id
        WHERE stored.epoch <> known.value->>1 OR lease.worker_id IS NOT %s""",
}


def save_checkpoints(vendor: str, rows: Sequence[tuple[int, int, str, str, bool]]) -> Statement:
    """Move each row (id, epoch, position, settled, first) of the same epoch, never back unless first."""
    return _of(vendor, _SAVE), _rows(vendor, rows)


def exchange_checkpoints(vendor: str, rows: Sequence[tuple[int, int, str, str, str, str]]) -> Statement:
    """Move each row (id, epoch, old position, old settled, position, settled) that is as it was known."""
    return _of(vendor, _EXCHANGE), _rows(vendor, rows)


def move_checkpoints(vendor: str, rows: Sequence[tuple[int, int, str]]) -> Statement:
    """Move each row (id, revision, position) if its revision is the same, and raise epoch and revision."""
    return _of(vendor, _MOVE), _rows(vendor, rows)


def differences(vendor: str, worker: UUID, rows: Sequence[tuple[int, int]]) -> Statement:
    """Find the rows (id, epoch) whose epoch has changed or which another worker owns."""
    identity = str(worker) if vendor == "postgresql" else worker.hex
    return _of(vendor, _DIFFERENCES), [*_rows(vendor, rows), identity]


def _of(vendor: str, statements: dict[str, str]) -> str:
    if vendor not in statements:
        raise NotSupportedError(f"streamapp runs on PostgreSQL and SQLite, not on {vendor}.")
    return statements[vendor]


def _rows(vendor: str, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    if vendor == "postgresql":
        return [list(column) for column in zip(*rows, strict=True)]
    return [json.dumps(rows)]
