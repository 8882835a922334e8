"""Connections of the thread at hand."""

from django.db import connections


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
