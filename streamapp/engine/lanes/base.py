"""What a consumer asks of its lanes."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence

from streamapp.engine.shard import ShardState, Slice
from streamapp.records import Shard


class Lanes(ABC):
    """Handle the records of one subscription. Called by the thread that polls, unless said otherwise."""

    @abstractmethod
    def add(self, slices: Sequence[Slice]) -> None:
        """Take records that one poll has brought, in the order of their shards."""

    @abstractmethod
    def resume(self, states: Iterable[ShardState]) -> None:
        """Take back, in front of all else, what has waited behind held records that came to an end."""

    @abstractmethod
    def work(self) -> None:
        """Handle what may be handled now, or see to it; raises what a lane has died of."""

    @abstractmethod
    def patience(self, timeout: float) -> float:
        """Return how many of `timeout` seconds the next poll may wait."""

    @abstractmethod
    def waiting(self) -> set[Shard]:
        """Return the shards of which no more should be read now."""

    @abstractmethod
    def drain(self, shards: Collection[Shard], seconds: float) -> None:
        """Start no call for these shards any more and wait so long for those that run."""

    @abstractmethod
    def clear(self) -> None:
        """Forget everything, because nothing of it is this worker's any more."""

    @abstractmethod
    def close(self) -> None:
        """Start no call any more and wait for those that run; blocks as long as they do."""

    @property
    @abstractmethod
    def calling(self) -> bool:
        """Tell whether a call runs beside the thread that asks."""

    @property
    @abstractmethod
    def busy(self) -> bool:
        """Tell whether something is handled, or waits to be handled or tried again; from any thread."""
