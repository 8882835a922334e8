"""Polls a reader until something has come, and keeps what came."""

from streamapp.brokers.reading import Event, Polled, Reader
from streamapp.records import Record, Shard
from tests.contract.broker.benches import wait_for


class Reading:
    """A reader with all that it has brought since the last look."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.records: list[Record] = []
        self.events: list[Event] = []
        self.ends: dict[Shard, int] = {}

    def poll(self) -> Polled:
        polled = self.reader.poll(0.2)
        for chunk in polled.chunks:
            self.records += [chunk.record(index) for index in range(len(chunk))]
        self.events += polled.events
        self.ends |= polled.ends
        return polled

    def take(self, count: int) -> list[Record]:
        """Return the next records, at least so many, and forget them."""
        self._poll_until(lambda: len(self.records) >= count, f"{count} records")
        taken, self.records = self.records, []
        return taken

    def values(self, count: int) -> list[bytes | None]:
        return [record.value for record in self.take(count)]

    def event(self) -> Event:
        """Return the next event and forget it."""
        self._poll_until(lambda: bool(self.events), "an event")
        return self.events.pop(0)

    def expect_end(self, shard: Shard, position: int) -> None:
        """Wait until the reader says that the shard's log ends there."""
        self._poll_until(lambda: self.ends.get(shard) == position, f"the end of {shard} is {position}")

    def _poll_until(self, condition, what: str) -> None:
        def polled() -> bool:
            return condition() or (self.poll() is not None and condition())

        wait_for(polled, f"{what}; so far {self.records}, {self.events}, {self.ends}")
