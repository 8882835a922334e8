"""Connections and transactions of the thread at hand."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction

STALLED_SECONDS = 2


@contextmanager
def short_transaction(using: str, stalled: int = STALLED_SECONDS) -> Iterator[None]:
    """Open a transaction that takes locks others wait for, and hold it briefly whatever happens.

    A process that is stopped or cut off in the middle would keep its locks, and whoever takes over its
    shards would wait for ever: PostgreSQL ends its session after `stalled` seconds without a statement.
    """
    connection = connections[using]
    outermost = not connection.in_atomic_block
    with transaction.atomic(using=using):
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{stalled}s'")
        yield


def close_old_connections() -> None:
    """Close the thread's connections that have died or grown old, but none inside a transaction.

    Django's function of this name closes those too: it takes an open transaction for a mistake. And
    it closes at every call where CONN_MAX_AGE is 0, which is meant for the end of a request; a thread
    that lives for weeks keeps its connection then until it fails.
    """
    for connection in connections.all(initialized_only=True):
        one_request = connection.settings_dict["CONN_MAX_AGE"] == 0
        if not connection.in_atomic_block and (connection.errors_occurred or not one_request):
            connection.close_if_unusable_or_obsolete()
