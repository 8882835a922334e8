"""The checkpoints as they were at a moment of the past, from what workers have noted and rewinds written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamapp.brokers.base import Broker
from streamapp.conf import configuration
from streamapp.exceptions import InvalidPosition
from streamapp.models import Checkpoint
from streamapp.positions import Moment
from streamapp.records import Shard
from streamapp.services.flags import Flag
from streamapp.services.history import stood_at
from streamapp.services.targets.base import Asked, Target
from streamapp.services.targets.moments import UTC_NAME, told


@dataclass(frozen=True, slots=True)
class AsOf(Target):
    """Each shard where its last note, or a rewind since, left it at the moment; one without any stays."""

    moment: Moment
    zone: str = UTC_NAME

    def resolve(self, rows: Mapping[Shard, Any], broker: Broker) -> Asked:  # noqa: ARG002
        """Look them up, in one query. Raises InvalidPosition when no shard has one."""
        own = {row.subscription_id for row in rows.values()}
        checkpoints = Checkpoint.objects.using(configuration().DATABASE).filter(subscription__in=own)
        stood = stood_at(checkpoints, self.moment)
        found = {shard: at for shard, row in rows.items() if (at := stood.get(row.pk)) is not None}
        if not found:
            raise InvalidPosition(
                f"No checkpoint of the chosen shards is known at {self.echo} or before. Workers write one "
                "a minute while they run. Choose a later moment or another target."
            )
        return Asked(found, dict.fromkeys(rows.keys() - found.keys(), Flag.NO_SAMPLE))

    def words(self) -> Sequence[str]:
        """Return the option."""
        return ("--as-of", str(self.moment))

    @property
    def echo(self) -> str:
        """Say the moment."""
        return told(self.moment, self.zone)

    def __str__(self) -> str:
        return f"the checkpoints of {self.moment}"
