"""One worker, in a process of its own: what `runconsumers` runs. It says in the end which rows it renewed."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from django.db.backends.signals import connection_created

from benchmarks import engine

TABLES = ("streamapp_worker", "streamapp_lease")
updates: list[tuple[float, str, int]] = []
"""Each UPDATE of a lease or a heartbeat: when, of which table, and how many rows it has written."""


def count(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Note an UPDATE of the tables that leases live in."""
    result = execute(sql, params, many, context)
    for table in TABLES:
        if sql.startswith(f'UPDATE "{table}"'):
            updates.append((time.time(), table, context["cursor"].rowcount))
    return result


def watch(connection: Any, **_: Any) -> None:
    """Count on each connection once, however often it is opened."""
    if count not in connection.execute_wrappers:
        connection.execute_wrappers.append(count)


def main() -> int:
    """Run until a signal."""
    connection_created.connect(watch)
    code = engine.consume()
    print(json.dumps(updates), flush=True)
    return code


if __name__ == "__main__":
    engine.prepare("benchmarks.leases.settings")
    sys.exit(main())
