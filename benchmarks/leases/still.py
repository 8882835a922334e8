"""A broker with so many shards in which nothing ever happens, and without groups."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from streamapp.brokers.base import Broker, Published, Source, Subscribing
from streamapp.brokers.looking import Glance, Limits, Peeked, Stop
from streamapp.brokers.reading import Polled, Reader
from streamapp.exceptions import PublishFailed
from streamapp.positions import Position
from streamapp.records import Bounds, Shard


@dataclass(frozen=True, slots=True)
class StillWater(Source):
    """A stream of so many shards."""

    name: str
    shards: int

    def streams(self) -> Sequence[str]:
        """Return its name."""
        return (self.name,)


class StillReader(Reader):
    """Waits, and reads nothing."""

    def poll(self, timeout: float) -> Polled:
        """Wait."""
        time.sleep(timeout)
        return Polled()

    def keep_alive(self) -> None:
        """Do nothing."""

    def open(self, positions: Mapping[Shard, int]) -> None:
        """Do nothing."""

    def close_shards(self, shards: Iterable[Shard]) -> None:
        """Do nothing."""

    def pause(self, shards: Iterable[Shard]) -> None:
        """Do nothing."""

    def resume(self, shards: Iterable[Shard]) -> None:
        """Do nothing."""

    def mirror(self, positions: Mapping[Shard, int]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class StillBroker(Broker):
    """Lists shards; all of them are empty."""

    source_types: ClassVar[tuple[type[Source], ...]] = (StillWater,)

    def position_problem(self, position: Position) -> str | None:  # noqa: ARG002
        """Take any position."""
        return None

    def whole(self, stream: str) -> Source:
        """Return a stream without shards."""
        return StillWater(stream, 0)

    def shards(self, source: Source) -> list[Shard]:
        """Return all shards."""
        assert isinstance(source, StillWater)
        return [Shard(source.name, f"{number:05}") for number in range(source.shards)]

    def resolve(self, position: Position, shards: Sequence[Shard]) -> dict[Shard, int]:  # noqa: ARG002
        """Return the start, whatever is asked for."""
        return dict.fromkeys(shards, 0)

    def bounds(self, shards: Sequence[Shard]) -> dict[Shard, Bounds]:
        """Return that the logs are empty."""
        return dict.fromkeys(shards, Bounds(0, 0))

    def peek(self, shard: Shard, position: int, limits: Limits) -> Peeked:  # noqa: ARG002
        """Find nothing."""
        return Peeked((), position, position, Stop.END)

    def firsts(self, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Glance]:  # noqa: ARG002
        """Find nothing."""
        return {shard: Peeked((), at, at, Stop.END) for shard, at in places.items()}

    def reader(self, subscribing: Subscribing) -> Reader:  # noqa: ARG002
        """Make a reader."""
        return StillReader()

    def publish(
        self,
        destination: str,
        value: bytes | None,  # noqa: ARG002
        *,
        key: bytes | None = None,  # noqa: ARG002
        headers: Mapping[str, bytes] | None = None,  # noqa: ARG002
    ) -> Published:
        """Refuse."""
        raise PublishFailed(f"{destination} takes no records.")

    def close(self) -> None:
        """Do nothing."""
