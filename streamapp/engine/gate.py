"""Whether a handler may be called now. Asked before every call, so it is three attribute reads.

No call starts when the worker stops, when its life has run out by its own monotonic clock, or when
something has to be looked at first (an event of the broker, a move).
"""

import threading
from collections.abc import Callable


class Life:
    """Until when a worker may believe in its leases, in seconds of the monotonic clock.

    The time counts from when the last good renewal was *sent*: what happened on the way to the
    database and back is not known. A life that was found to be over can't be prolonged.
    """

    def __init__(self) -> None:
        self.until = float("-inf")
        self._over = True
        self._lock = threading.Lock()

    def begin(self, until: float) -> None:
        """Start a new life, after whatever the last one left behind was given up."""
        with self._lock:
            self.until, self._over = until, False

    def prolong(self, until: float) -> bool:
        """Move the end; False when the life is over already."""
        with self._lock:
            if not self._over:
                self.until = until
            return not self._over

    def is_over(self, now: float) -> bool:
        """Tell whether the life has run out by `now`; once it has, that is final."""
        with self._lock:
            if now >= self.until:
                self.until, self._over = float("-inf"), True
            return self._over


class Gate:
    """Opened and closed by the threads around a lane; read by the lane."""

    def __init__(self, life: Life, clock: Callable[[], float]) -> None:
        self.life = life
        self._clock = clock
        self.interrupted = False
        self.stopping = False
        self._followers: list[Gate] = []

    def follower(self) -> "Gate":
        """Return a gate that closes when this one stops, and that looks up from its work for nothing else."""
        self._followers.append(Gate(self.life, self._clock))
        return self._followers[-1]

    def interrupt(self) -> None:
        """Ask the lane to look around before its next call."""
        self.interrupted = True

    def stop(self) -> None:
        """Start no call any more."""
        self.stopping = True
        self.interrupted = True
        for gate in self._followers:
            gate.stop()

    def reset(self) -> None:
        """Note that the lane has looked around."""
        self.interrupted = self.stopping

    def enter(self) -> bool:
        """Tell whether a call may start now."""
        return not self.interrupted and self._clock() < self.life.until

    @property
    def alive(self) -> bool:
        """Tell whether the worker's life hasn't run out."""
        return self._clock() < self.life.until
