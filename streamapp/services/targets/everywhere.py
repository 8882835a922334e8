"""One position for all chosen shards, as settings and handlers write it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from streamapp.brokers.base import Broker
from streamapp.exceptions import InvalidPosition
from streamapp.positions import SHARD_END, Ago, Earliest, Latest, Moment, Position
from streamapp.records import Bounds, Shard
from streamapp.services.targets.base import Asked, Target
from streamapp.services.targets.moments import UTC_NAME, told


@dataclass(frozen=True, slots=True)
class Everywhere(Target):
    """The position in every shard that it names. `zone` is the one in which a moment was chosen."""

    position: Position
    zone: str = UTC_NAME

    def resolve(self, rows: Mapping[Shard, Any], broker: Broker) -> Asked:
        """Ask the broker. At the end of a finished shard nothing new will come: it stays finished."""
        if problem := broker.position_problem(self.position):
            raise InvalidPosition(problem)
        if isinstance(self.position, Earliest | Latest):
            return self._at_an_end(rows, broker.bounds(list(rows)))
        return Asked(broker.resolve(self.position, list(rows)))

    def _at_an_end(self, rows: Mapping[Shard, Any], bounds: Mapping[Shard, Bounds]) -> Asked:
        """Take both ends from one answer: the plan needs them anyway."""
        if isinstance(self.position, Earliest):
            return Asked({shard: found.first for shard, found in bounds.items()}, bounds=bounds)
        ends = {
            shard: SHARD_END if rows[shard].position == SHARD_END else found.end
            for shard, found in bounds.items()
        }
        return Asked(ends, bounds=bounds)

    def words(self) -> Sequence[str]:
        """Return the position."""
        return (str(self.position),)

    @property
    def is_moment(self) -> bool:
        """Tell a moment or a duration from other positions."""
        return isinstance(self.position, Moment | Ago)

    @property
    def echo(self) -> str:
        """Say the moment; of a duration the one that it means now."""
        match self.position:
            case Moment() as moment:
                return told(moment, self.zone)
            case Ago() as ago:
                return told(ago.moment(datetime.now(UTC)), self.zone)
        return ""

    def __str__(self) -> str:
        return str(self.position)
