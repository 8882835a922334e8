"""Numbered records that keep coming, from a thread of the soak."""

import threading
from typing import Protocol

from tests.chaos.soak.history import Place

TICK_SECONDS = 0.1
KEYS = 23


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


class Traffic:
    """Writes so many records a second until it is stopped."""

    def __init__(self, log: Log, rate: int) -> None:
        self._log = log
        self._each = round(rate * TICK_SECONDS)
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="traffic")

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
        number = 0
        try:
            while not self._ended.wait(TICK_SECONDS):
                self._log.write(range(number, number + self._each), KEYS)
                number += self._each
        except BaseException as error:
            self._failure = error
