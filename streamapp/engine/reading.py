"""The reader of a subscription, guarded: the lane uses it, and a keeper while a handler takes long."""

import threading
from collections.abc import Callable, Iterable, Mapping

from streamapp.brokers.base import Broker, Subscribing
from streamapp.brokers.reading import Behind, Polled, Reader
from streamapp.records import Shard


class Reading:
    """Hands the one reader to one thread at a time, and makes it when it is first needed.

    Every method may raise BrokerUnavailable, except `keep_alive`, `lags` and `close`.
    """

    def __init__(self, broker: Broker, subscribing: Subscribing, clock: Callable[[], float]) -> None:
        self._broker = broker
        self._subscribing = subscribing
        self._clock = clock
        self._lock = threading.Lock()
        self._reader: Reader | None = None
        self._paused: set[Shard] = set()
        """What may be paused; more than what is, while `_unsure`."""
        self._unsure = False
        self._polled_at = clock()

    def ensure(self) -> None:
        """Make the reader if there is none yet."""
        with self._lock:
            self._made()

    @property
    def assigns(self) -> bool:
        """Tell whether the broker says which shards are read."""
        with self._lock:
            return self._made().assigns

    def poll(self, timeout: float) -> Polled:
        """Return what is there; waits up to `timeout` seconds."""
        with self._lock:
            polled = self._made().poll(timeout)
            self._polled_at = self._clock()
            return polled

    def keep_alive(self, silence: float) -> bool:
        """Poll in the lane's stead when it hasn't for `silence` seconds; False if there was no need."""
        if self._clock() - self._polled_at < silence or not self._lock.acquire(blocking=False):
            return False
        try:
            if self._reader is not None:
                self._reader.keep_alive()
            return self._reader is not None
        finally:
            self._lock.release()

    def open(self, positions: Mapping[Shard, int]) -> None:
        """Read shards from these positions on."""
        if positions:
            with self._lock:
                self._paused -= positions.keys()
                self._made().open(positions)

    def close_shards(self, shards: Iterable[Shard]) -> None:
        """Read these shards no more."""
        if (closing := list(shards)) and self._reader is not None:
            with self._lock:
                self._paused.difference_update(closing)
                self._made().close_shards(closing)

    def pause_only(self, shards: set[Shard]) -> None:
        """Let these shards wait, and no others; whatever became of a call before that failed."""
        if shards == self._paused and not self._unsure:
            return
        with self._lock:
            reader, self._unsure = self._made(), True
            self._paused |= shards
            reader.pause(shards)
            reader.resume(self._paused - shards)
            self._paused, self._unsure = set(shards), False

    def mirror(self, positions: Mapping[Shard, int]) -> None:
        """Show saved checkpoints to the broker's lag tools."""
        if positions:
            with self._lock:
                self._made().mirror(positions)

    def lags(self, patience: float) -> Mapping[Shard, Behind]:
        """Return how far reading is behind; nothing if the reader stays busy for `patience` seconds."""
        if not self._lock.acquire(timeout=patience):
            return {}
        try:
            return self._reader.lags() if self._reader is not None else {}
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the reader; the next use makes another."""
        with self._lock:
            reader, self._reader = self._reader, None
            self._paused, self._unsure = set(), False
            if reader is not None:
                reader.close()

    def _made(self) -> Reader:
        if self._reader is None:
            self._reader = self._broker.reader(self._subscribing)
        return self._reader
