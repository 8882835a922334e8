"""The one event loop on which `async def` handlers of single records run."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.db import connections

from streamapp.store.connections import close_old_connections


class EventLoop:
    """A loop in a thread of its own, started by the first call and shared by all lanes of a process.

    Clients that a handler keeps (a pool, a lock) are bound to their loop, so there is only one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[int, Coroutine[Any, Any, Any]] = {}

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine and return its result; blocks the calling thread, raises what it raises."""
        self._waiting[threading.get_ident()] = coroutine
        return asyncio.run_coroutine_threadsafe(coroutine, self._running()).result()

    def run_apart(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Do the same on a loop that lives for this call; its queries use the thread's own connection."""
        self._waiting[threading.get_ident()] = coroutine
        return async_to_sync(_awaited)(coroutine)

    def awaited_by(self, thread: int) -> Coroutine[Any, Any, Any] | None:
        """Return the coroutine that a thread waits for, if it does so now."""
        coroutine = self._waiting.get(thread)
        return None if getattr(coroutine, "cr_frame", None) is None else coroutine

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine some time; doesn't wait."""
        asyncio.run_coroutine_threadsafe(coroutine, self._running())

    def call_soon(self, callback: Callable[[], object]) -> None:
        """Let the loop call a function; doesn't wait."""
        self._running().call_soon_threadsafe(callback)

    def refresh_connections(self) -> None:
        """Close connections that have died or grown old, in the thread that the ORM uses for coroutines."""
        if self._loop is not None:
            self.run(sync_to_async(close_old_connections)())

    def close_connections(self) -> None:
        """Close the connections of that thread; what runs there now is waited for."""
        if self._loop is not None:
            self.run(sync_to_async(connections.close_all)())

    def close(self) -> None:
        """Stop the loop; what still runs on it is abandoned."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                run = threading.Thread(target=_run, args=(self._loop,), name="streamapp-loop", daemon=True)
                run.start()
            return self._loop


async def _awaited(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return await coroutine


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        while _is_torn(loop):
            pass
    finally:
        loop.close()


def _is_torn(loop: asyncio.AbstractEventLoop) -> bool:
    """Run the loop; tell whether a task tore it down with what is meant for the whole process.

    asyncio lets these two through before whoever waits for the task hears of them. The loop must go on,
    or the lane would wait for ever; it hears of them then, and the worker ends.
    """
    try:
        loop.run_forever()
    except (SystemExit, KeyboardInterrupt):
        return True
    return False
