"""Back to where the shards of a rewind stood before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from streamapp.brokers.base import Broker
from streamapp.conf import configuration
from streamapp.exceptions import InvalidPosition
from streamapp.models import RewoundShard
from streamapp.records import Shard
from streamapp.services.flags import Flag
from streamapp.services.progress import superseded_after
from streamapp.services.targets.base import Asked, Target


@dataclass(frozen=True, slots=True)
class BeforeRewind(Target):
    """Each shard of a rewind at its old position; one that was finished is finished again."""

    rewind: int

    def resolve(self, rows: Mapping[Shard, Any], broker: Broker) -> Asked:  # noqa: ARG002
        """Read the rewind's trail. Raises InvalidPosition when it has moved none of the shards."""
        trail: dict[int, Any] = {row.checkpoint_id: row for row in self._trail()}
        moved = {shard: trail[row.pk] for shard, row in rows.items() if row.pk in trail}
        if not moved:
            raise InvalidPosition(f"Rewind {self.rewind} has moved none of these shards: nothing to undo.")
        flags = {shard: _flags(rows[shard], was) for shard, was in moved.items()}
        return Asked({shard: was.old_position for shard, was in moved.items()}, flags=flags)

    def _trail(self) -> QuerySet[Any]:
        rows = RewoundShard.objects.using(configuration().DATABASE).filter(rewind=self.rewind)
        return rows.annotate(superseded=superseded_after(self.rewind))

    def words(self) -> Sequence[str]:
        """Return the number; the command is another one."""
        return (str(self.rewind),)

    def __str__(self) -> str:
        return f"before rewind {self.rewind}"


def _flags(row: Any, was: Any) -> tuple[Flag, ...]:
    if was.superseded:
        return (Flag.SUPERSEDED,)
    return (Flag.MOVED_ON,) if row.position != was.new_position else ()
