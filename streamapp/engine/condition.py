"""How a worker is, for whoever restarts it: what speaks against its life, and against its readiness."""

import time
from collections.abc import Callable, Iterator

from streamapp.engine.worker import Worker


class Condition:
    """Asks a worker of this process; from any thread, and without asking database or broker."""

    def __init__(self, worker: Worker, ttl: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the seconds for which a heartbeat counts, and the clock that the worker goes by."""
        self._worker = worker
        self._ttl = ttl
        self._clock = clock

    @property
    def heartbeat_age(self) -> float:
        """Return how many seconds ago the last good heartbeat was sent; at first, since the start."""
        return self._clock() - self._worker.heartbeat.renewed_at

    def life_problems(self) -> list[str]:
        """Return why the process should be started again; nothing while it stops as it was asked to."""
        return list(self._life_problems())

    def readiness_problems(self) -> list[str]:
        """Return why it doesn't do its work, or not yet."""
        return [*self._life_problems(), *self._readiness_problems()]

    def _life_problems(self) -> Iterator[str]:
        if failure := self._worker.failure:
            yield f"A thread died: {failure!r}."
        if self._worker.stopping:
            return
        for thread in self._worker.threads:
            if not thread.is_alive():
                yield f"The thread '{thread.name}' doesn't run."
        if self.heartbeat_age > self._ttl:
            yield (
                f"The last good heartbeat is {self.heartbeat_age:.1f} s old, "
                f"more than HEARTBEAT_TTL ({self._ttl:g} s)."
            )

    def _readiness_problems(self) -> Iterator[str]:
        if self._worker.stopping:
            yield "It is stopping."
        for consumer in self._worker.consumers:
            if not consumer.knows_its_shards:
                yield f"{consumer.mount.name} doesn't know its shards yet."
