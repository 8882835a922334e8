"""Notices between processes that a row has changed: they only shorten the time until somebody looks.

PostgreSQL delivers them at the commit, to whoever listens then. Nothing depends on them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

CHANNEL = "streamapp_rewind"
LONGEST = 18
"""Digits of the id of a subscription."""


def send(using: str, subscription: int) -> None:
    """Tell the workers of a subscription, once the open transaction is committed, that they should look."""
    connection = connections[using]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, str(subscription)])


class NoticeStore:
    """Hears what `send` has sent to the same database."""

    def __init__(self, using: str) -> None:
        self._using = using

    @property
    def can_hear(self) -> bool:
        """Tell whether the database has notices at all."""
        return connections[self._using].vendor == "postgresql"

    @contextmanager
    def listening(self) -> Iterator["Ear"]:
        """Listen on the calling thread's own connection. Raises django.db.Error; closes the connection."""
        connection = connections[self._using]
        try:
            connection.ensure_connection()
            with connection.cursor() as cursor:
                cursor.execute(f"LISTEN {CHANNEL}")
            yield Ear(connection)
        finally:
            connection.close()


class Ear:
    """A connection that listens."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def hear(self, seconds: float) -> set[int]:
        """Return the subscriptions of which a notice has come, waiting up to so many seconds for the first.

        A notice that names none is nobody's. Raises django.db.Error when the connection is lost.
        """
        with self._connection.wrap_database_errors:
            raw = self._connection.connection
            texts = [notice.payload for notice in raw.notifies(timeout=seconds, stop_after=1)]
        # Whoever may connect may send anything here.
        return {int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) <= LONGEST}
