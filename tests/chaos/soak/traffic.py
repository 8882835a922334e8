"""Numbered records that keep coming, from a thread of the soak."""

import threading
from typing import Protocol

from tests.chaos.soak.history import Place

TICK_SECONDS = 0.1
KEYS = 23
MOST_BEHIND = 500


class Log(Protocol):
    """A topic or stream that the soak writes to, and reads whole at the end."""

    def write(self, numbers: range, keys: int) -> None:
        """Write numbered records, each under the key of its number modulo `keys`."""

    def flush(self) -> int:
        """Wait until all is stored; returns how many records that are."""

    def ends(self) -> dict[str, int]:
        """Return how far each shard's checkpoint must be for everything to have been handled."""

    def read(self) -> dict[str, list[Place]]:
        """Return every record, by shard and in order."""

    def parents(self) -> dict[str, list[str]]:
        """Return of which shards each has come, where there are such."""


class Traffic:
    """Writes so many records a second until it is stopped.

    It pauses while `handled` of its records lag too far behind: a soak is about blows, not about speed.
    """

    def __init__(self, log: Log, rate: int) -> None:
        self._log = log
        self._each = max(1, round(rate * TICK_SECONDS))
        self.written = 0
        self.handled = 0
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="traffic", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> int:
        """End, and return how many records are stored."""
        self._ended.set()
        self._thread.join()
        if self._failure:
            raise self._failure
        return self._log.flush()

    def _run(self) -> None:
        try:
            while not self._ended.wait(TICK_SECONDS):
                if self.written - self.handled < MOST_BEHIND:
                    self._log.write(range(self.written, self.written + self._each), KEYS)
                    self.written += self._each
        except BaseException as error:  # noqa: BLE001 - raised when the soak stops it
            self._failure = error
