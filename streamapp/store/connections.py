"""Connections of the thread at hand."""

from django.db import connections


def close_old_connections() -> None:
    """Close the thread's connections that have died or grown old, but none inside a transaction.

    Django's function of this name closes those too: it takes an open transaction for a mistake.
    """
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
