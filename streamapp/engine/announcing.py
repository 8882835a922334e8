"""Telling the rest of the project: signals wait here, and a thread that does nothing else sends them."""

import logging
import threading
from collections import deque
from typing import Any

from django.dispatch import Signal

from streamapp.observability.logs import Fields
from streamapp.store.connections import close_old_connections

logger = logging.getLogger("streamapp.announcing")
WAITING_AT_MOST = 10_000
IDLE_SECONDS = 0.5


class Announcements:
    """Signals in the order in which things happened. `announce` is called from any thread and never waits.

    A receiver that raises is logged by Django and disturbs nobody; a slow one delays later signals.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Signal, str, dict[str, Any]]] = deque()
        self._arrived = threading.Event()
        self._dropped = 0

    def announce(self, signal: Signal, subscription: str, **arguments: Any) -> None:
        """Queue a signal if anybody listens; while 10 000 wait, further ones are dropped."""
        if not signal.has_listeners(subscription):
            return
        if len(self._waiting) >= WAITING_AT_MOST:
            self._dropped += 1
            return
        self._waiting.append((signal, subscription, arguments))
        self._arrived.set()

    def send_waiting(self) -> None:
        """Send what waits, in the calling thread; blocks for as long as the receivers take."""
        while self._waiting:
            signal, subscription, arguments = self._waiting.popleft()
            close_old_connections()
            signal.send_robust(sender=subscription, **arguments)
        self._report_dropped()

    def wait(self) -> None:
        """Return when something waits to be sent, when woken, or after half a second."""
        self._arrived.wait(IDLE_SECONDS)
        self._arrived.clear()

    def wake(self) -> None:
        """Let whoever waits look up."""
        self._arrived.set()

    def _report_dropped(self) -> None:
        dropped, self._dropped = self._dropped, 0
        if dropped:
            fields = Fields(dropped=dropped)
            logger.error("Signals dropped, receivers are too slow. %s", fields)
