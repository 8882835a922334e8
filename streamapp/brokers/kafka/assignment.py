"""Which partitions the client reads, and the next offset of each.

A partition is given to the client only once its place is known, with that place, and is taken away
from it to make it pause. So there is nothing that could be delivered too early, no prefetched record
of an older place, and no pause that outlives an assignment.
"""

from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer, TopicPartition

from streamapp.brokers.kafka.chunks import Key


class Assignment:
    """The partitions of one client, changed one by one: cooperative groups, `consumer` protocol, no group.

    Used by the thread that has the client, also within the client's callbacks.
    """

    def __init__(self, consumer: Consumer) -> None:
        """Take the client; it must have no assignment yet."""
        self.next: dict[Key, int] = {}
        """The next offset of each open partition, whether it is being read or not."""
        self._consumer = consumer
        self._reading: set[Key] = set()

    @property
    def reading(self) -> list[Key]:
        """Return the partitions that don't rest."""
        return list(self._reading)

    def accept(self) -> None:
        """Answer an assignment of the group: read nothing of it yet."""
        self._consumer.incremental_assign([])

    def give_up(self, keys: Iterable[Key]) -> None:
        """Answer a revocation of the group: these are closed."""
        self._release([key for key in keys if key in self._reading])
        self._forget(keys)

    def open(self, positions: Mapping[Key, int]) -> None:
        """Read these partitions from the given offsets on, whatever they did before."""
        self.next.update(positions)
        self.read(positions)

    def close(self, keys: Iterable[Key]) -> None:
        """Read these no more."""
        self.rest(keys)
        self._forget(keys)

    def read(self, keys: Iterable[Key]) -> None:
        """Read these open partitions from their next offset on."""
        if wanted := list(keys):
            self.rest(wanted)
            self._consumer.incremental_assign(self._places(wanted))
            self._reading.update(wanted)

    def rest(self, keys: Iterable[Key]) -> None:
        """Deliver nothing of these until they are read again; their places are kept."""
        if resting := [key for key in keys if key in self._reading]:
            self._release(resting)

    def _release(self, keys: list[Key]) -> None:
        self._reading.difference_update(keys)
        self._consumer.incremental_unassign([TopicPartition(*key) for key in keys])

    def _forget(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self.next.pop(key, None)

    def _places(self, keys: Iterable[Key]) -> list[TopicPartition]:
        return [TopicPartition(*key, self.next[key]) for key in keys]


class EagerAssignment(Assignment):
    """The same for eager groups, which only know the assignment as a whole."""

    def accept(self) -> None:
        """Answer an assignment of the group: read nothing of it yet."""
        self._consumer.assign([])

    def read(self, keys: Iterable[Key]) -> None:
        """Read these open partitions from their next offset on."""
        if wanted := list(keys):
            self._reading.update(wanted)
            self._consumer.assign(self._places(self._reading))

    def _release(self, keys: list[Key]) -> None:
        self._reading.difference_update(keys)
        if self._reading:
            self._consumer.assign(self._places(self._reading))
        else:
            self._consumer.unassign()
