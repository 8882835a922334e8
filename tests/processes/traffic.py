"""Records that keep coming, from a thread of the test."""

import itertools
import threading

from tests.processes.conftest import Stage


class Traffic:
    """Publishes numbered records until it is left, in the order of their numbers."""

    def __init__(self, stage: Stage, every: float = 0.01) -> None:
        self._stage = stage
        self._every = every
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Traffic":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        for number in itertools.count():
            if self._ended.wait(self._every):
                return
            self._stage.publish({"id": number})
