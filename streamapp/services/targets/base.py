"""What all targets of a rewind have in common."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streamapp.brokers.base import Broker
from streamapp.records import Bounds, Shard
from streamapp.services.flags import Flag


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a target wants shards, before the bounds of their logs are looked at.

    `staying` says why a shard stays where it is; one that is in neither isn't named. `flags` are
    remarks that only the target can make. `bounds` are those of the logs, if they were asked for.
    """

    positions: Mapping[Shard, int]
    staying: Mapping[Shard, Flag] = field(default_factory=dict)
    flags: Mapping[Shard, tuple[Flag, ...]] = field(default_factory=dict)
    bounds: Mapping[Shard, Bounds] = field(default_factory=dict)


class Target(ABC):
    """Where a rewind goes. `str()` is what its row says; it has at most 300 characters.

    Targets are values that survive a form: see `streamapp.services.targets.dump`.
    """

    __slots__ = ()

    @abstractmethod
    def resolve(self, rows: Mapping[Shard, Any], broker: Broker) -> Asked:
        """Turn the target into numbers for checkpoints, each with `held_count`.

        Raises InvalidPosition when it names none of them, BrokerUnavailable.
        """

    @abstractmethod
    def words(self) -> Sequence[str]:
        """Return what follows `streams rewind NAME` on the command line."""

    @property
    def clamps(self) -> bool:
        """Tell whether a number behind the end of its log is moved there; if not, it is refused."""
        return True

    @property
    def is_moment(self) -> bool:
        """Tell whether a shard at its end has nothing after the moment that is meant."""
        return False

    @property
    def echo(self) -> str:
        """Say a moment in the zone that was chosen and in UTC; empty for other targets."""
        return ""
