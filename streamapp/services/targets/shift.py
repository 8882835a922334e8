"""So many records backwards or forwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamapp.brokers.base import Broker
from streamapp.exceptions import InvalidPosition
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.services.targets.base import Asked, Target
from streamapp.services.wording import amount


@dataclass(frozen=True, slots=True)
class Shift(Target):
    """Every chosen shard so many records further, or back where it is negative."""

    records: int

    def resolve(self, rows: Mapping[Shard, Any], broker: Broker) -> Asked:
        """Count from the checkpoint. Raises InvalidPosition where positions don't count records."""
        if not self.records:
            raise InvalidPosition("0 records is no move. Give a number such as -100 or 100.")
        if broker.records_between(0, 1) is None:
            raise InvalidPosition(
                "The positions of this broker don't count records. Rewind to a moment or a duration ago."
            )
        return Asked({shard: self._from(row.position) for shard, row in rows.items()})

    def _from(self, position: int) -> int:
        return position if position == SHARD_END else max(0, position + self.records)

    def words(self) -> Sequence[str]:
        """Return the option."""
        return (f"--shift={self.records}",)

    def __str__(self) -> str:
        return f"{amount(abs(self.records), 'record')} {'back' if self.records < 0 else 'forward'}"
