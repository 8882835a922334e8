"""What has happened to the held records of one shard since the last save."""

from collections.abc import Collection, Iterable
from threading import RLock

from streamapp.store.records import Held


class HeldNotes:
    """Written by lanes, taken by the saver: whatever is noted is taken once, or given back and taken again.

    `lock` keeps others out for longer than one call: a record is held and noted in one step, so that
    neither a move nor an order to skip it comes in between. Nobody waits for I/O under it.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self._held: list[Held] = []
        self._settled: list[int] = []

    def held(self, record: Held) -> None:
        """Note that a record is held."""
        with self.lock:
            self._held.append(record)

    def settled(self, position: int) -> None:
        """Note that a held record was settled after all."""
        with self.lock:
            self._settled.append(position)

    def take(self) -> tuple[list[Held], list[int]]:
        """Return, once, what was noted: records that are held, and positions that no longer are."""
        with self.lock:
            taken = self._held, self._settled
            self._held, self._settled = [], []
            return taken

    def give_back(self, held: Iterable[Held], settled: Iterable[int]) -> None:
        """Note again what was taken and couldn't be written."""
        with self.lock:
            self._held.extend(held)
            self._settled.extend(settled)

    def forget(self, positions: Collection[int]) -> None:
        """Show nobody the records at these positions as held."""
        with self.lock:
            self._held = [record for record in self._held if record.position not in positions]

    def clear(self) -> None:
        """Forget everything, because the shard was moved."""
        self.take()
