"""The local broker, failing at random, with a consumer group that assigns as it likes."""

from collections.abc import Iterable, Mapping

from streamapp.brokers.base import Subscribing
from streamapp.brokers.local import LocalBroker
from streamapp.brokers.reading import Assigned, Event, Lost, Polled, Reader, Revoked
from streamapp.exceptions import BrokerUnavailable, ReaderFailed
from streamapp.records import Shard
from tests.chaos.faults import Faults, unavailable


class Group:
    """Gives every shard to one member. Members hear of it at their next poll, in any order."""

    def __init__(self, faults: Faults) -> None:
        self._random = faults.random
        self._members: list[GroupReader] = []
        self.unbalanced = False

    def join(self, member: "GroupReader") -> None:
        self._members.append(member)
        self.unbalanced = True

    def leave(self, member: "GroupReader") -> None:
        if member in self._members:
            self._members.remove(member)
            self.unbalanced = True

    def rebalance(self, shards: Iterable[Shard]) -> None:
        """Assign anew, at random."""
        self.unbalanced = False
        given: dict[GroupReader, set[Shard]] = {member: set() for member in self._members}
        for shard in shards:
            if given:
                given[self._random.choice(self._members)].add(shard)
        for member, theirs in given.items():
            member.give(theirs, lost=self._random.random() < 0.3)


class SpreadReader(Reader):
    """A reader that is told its shards by the engine."""

    assigns = False

    def __init__(self, inner: Reader, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults
        self._failed = False
        for name in ("open", "close_shards", "pause", "resume", "mirror"):
            setattr(self, name, unavailable(faults, getattr(self, name)))

    def poll(self, timeout: float) -> Polled:
        self._faults.strike(BrokerUnavailable, "poll")
        if self._failed or (self._faults.rate and self._faults.random.random() < self._faults.rate / 4):
            self._failed = True
            raise ReaderFailed("a fault of the test")
        return self._inner.poll(timeout)

    def keep_alive(self) -> None:
        self._inner.keep_alive()

    def open(self, positions: Mapping[Shard, int]) -> None:
        self._inner.open(positions)

    def close_shards(self, shards: Iterable[Shard]) -> None:
        self._inner.close_shards(shards)

    def pause(self, shards: Iterable[Shard]) -> None:
        self._inner.pause(shards)

    def resume(self, shards: Iterable[Shard]) -> None:
        self._inner.resume(shards)

    def mirror(self, positions: Mapping[Shard, int]) -> None:
        self._inner.mirror(positions)

    def close(self) -> None:
        self._inner.close()


class GroupReader(SpreadReader):
    """A reader that is told its shards by the group."""

    assigns = True

    def __init__(self, inner: Reader, faults: Faults, group: Group) -> None:
        super().__init__(inner, faults)
        self._group = group
        self._assigned: set[Shard] = set()
        self._events: list[Event] = []
        group.join(self)

    def give(self, shards: set[Shard], *, lost: bool) -> None:
        leaving, arriving = sorted(self._assigned - shards), sorted(shards - self._assigned)
        self._assigned = shards
        self._inner.close_shards(leaving)
        if leaving:
            self._events.append((Lost if lost else Revoked)(tuple(leaving)))
        if arriving:
            self._events.append(Assigned(tuple(arriving)))

    def poll(self, timeout: float) -> Polled:
        polled = super().poll(0.0 if self._events else timeout)
        events, self._events = self._events, []
        return Polled([*events, *polled.events], polled.chunks, polled.ends)

    def open(self, positions: Mapping[Shard, int]) -> None:
        """Open nothing that was taken away in the meantime."""
        super().open({shard: at for shard, at in positions.items() if shard in self._assigned})

    def close(self) -> None:
        self._group.leave(self)
        super().close()


class ChaosBroker(LocalBroker):
    """A local broker of which every question may fail; with a group if `grouped`."""

    def __init__(self, faults: Faults, *, grouped: bool) -> None:
        super().__init__("local", {}, wait=lambda seconds: None)
        self._faults = faults
        self.group = Group(faults) if grouped else None
        for name in ("shards", "resolve", "bounds", "inherited"):
            setattr(self, name, unavailable(faults, getattr(self, name)))

    def reader(self, subscribing: Subscribing) -> Reader:
        self._faults.strike(BrokerUnavailable, "reader")
        inner = super().reader(subscribing)
        if self.group is None:
            return SpreadReader(inner, self._faults)
        return GroupReader(inner, self._faults, self.group)
