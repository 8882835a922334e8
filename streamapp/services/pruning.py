"""Retention: rows that are kept no longer go, a bounded number in one run."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from streamapp.conf import configuration
from streamapp.observability.logs import Fields
from streamapp.retention import retention
from streamapp.store import Store
from streamapp.store.audit import Asker
from streamapp.store.pruning import TABLES, Old, Table

logger = logging.getLogger("streamapp.pruning")
MOST = 100_000
"""Rows of one table in one run: what is left comes next time."""
ROWS_A_TRANSACTION = 1000
Tell = Callable[[Table, int], object]


@dataclass(frozen=True, slots=True)
class Pruned:
    """What of a table went, or would go. `more`: as much was found as one run takes."""

    table: Table
    subscriptions: Counter[str] = field(default_factory=Counter)
    more: bool = False

    @property
    def rows(self) -> int:
        """Return how many rows that are."""
        return self.subscriptions.total()

    def to_json(self) -> dict[str, Any]:
        """Return it as commands print it."""
        named = {} if self.table.name == "WORKERS" else {"subscriptions": dict(self.subscriptions)}
        return {"table": self.table.name, "rows": self.rows, "more": self.more, **named}


def plan(most: int = MOST) -> list[Pruned]:
    """Say what one run would delete; changes nothing."""
    return [
        Pruned(table, Counter(row.subscription for row in rows), len(rows) >= most)
        for table, rows in _surplus(most)
    ]


def prune(
    asker: Asker, chunk: int = ROWS_A_TRANSACTION, most: int = MOST, tell: Tell | None = None
) -> list[Pruned]:
    """Delete what is kept no longer, `chunk` rows a transaction, at most `most` of a table.

    `tell` hears of every transaction. Every loss of a record is logged and audited. Raises django.db.Error;
    what was deleted by then stays deleted.
    """
    store = Store(configuration().DATABASE)
    done = []
    for table, rows in _surplus(most):
        gone: Counter[str] = Counter()
        for part in _parts(rows, chunk):
            gone += store.pruning.delete(table, part, asker)
            if tell:
                tell(table, gone.total())
        _log(table, gone)
        done.append(Pruned(table, gone, len(rows) >= most))
    return done


def _surplus(most: int) -> Iterator[tuple[Table, list[Old]]]:
    kept = retention(configuration().RETENTION)
    store = Store(configuration().DATABASE)
    return ((table, store.pruning.surplus(table, table.keep or kept[table.name], most)) for table in TABLES)


def _parts(rows: list[Old], chunk: int) -> Iterator[list[Old]]:
    return (rows[start : start + chunk] for start in range(0, len(rows), chunk))


def _log(table: Table, gone: Counter[str]) -> None:
    for subscription, rows in gone.items() if table.audited else ():
        fields = Fields(subscription=subscription, table=table.name, records=rows)
        logger.warning("Records deleted by retention. %s", fields)
    if gone and not table.audited:
        logger.info("Rows deleted by retention. %s", Fields(table=table.name, rows=gone.total()))
