"""Whether a handler failed, or the database under it.

The database is asked itself: a statement timeout in a handler is the handler's. A connection that was
lost on the way is no fault of the record either, even if a new one works at once.
"""

from collections.abc import Callable, Iterator

from django.db import Error as DatabaseError
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from streamapp.engine.event_loop import EventLoop
from streamapp.store import Store
from streamapp.store.connections import close_old_connections

REFRESH_SECONDS = 1.0


class Outage(Exception):
    """The database or the broker is down: nothing is counted against the record."""


class LaneDatabase:
    """The lane's own connection: kept fresh between calls, and judged after one that failed.

    Lives in the lane's thread.
    """

    def __init__(self, store: Store, loop: EventLoop, clock: Callable[[], float], *, eager: bool) -> None:
        """Take what it judges with; `eager` connects before a call, because the call needs a transaction."""
        self._eager = eager
        self._store = store
        self._loop = loop
        self._clock = clock
        self._refreshed = float("-inf")
        self._connection: BaseDatabaseWrapper
        self._known: object = None

    def refresh(self) -> None:
        """Renew connections that have died or grown old, at most once a second, never in a transaction.

        Raises django.db.Error while the database is down, before any record is touched.
        """
        if self._clock() - self._refreshed > REFRESH_SECONDS:
            close_old_connections()
            self._loop.refresh_connections()
            self._refreshed = self._clock()
            self._connection = connections[self._store.using]
        if self._eager and self._connection.connection is None:
            self._connection.ensure_connection()
        self._known = self._connection.connection

    def failed(self, error: BaseException) -> bool:
        """Tell whether the database is down, or went away while the call that raised `error` ran."""
        lost = self._was_lost() and any(isinstance(cause, DatabaseError) for cause in _causes(error))
        try:
            close_old_connections()
            self._store.probe()
        except DatabaseError:
            return True
        self._known = connections[self._store.using].connection
        return lost

    def _was_lost(self) -> bool:
        """Tell whether the connection is dead, or was closed: a transaction closes the one it dies with."""
        connection = connections[self._store.using]
        if connection.connection is None:
            return self._known is not None
        changed = self._known is not None and connection.connection is not self._known
        return changed or not connection.is_usable()


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and what it comes from; code may chain them in a circle."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
