"""Blows to a stream: its shards are split and merged under way."""

from random import Random

from tests.chaos.soak.blows import Blow
from tests.chaos.soak.crew import Crew
from tests.chaos.soak.far_proxy import FarProxy
from tests.chaos.soak.log_kinesis import KinesisLog
from tests.chaos.soak.servers import OwnServer
from tests.chaos.soak.storm import Storm

MOST_SHARDS = 8


class KinesisStorm(Storm):
    """The number of open shards goes up and down."""

    def __init__(
        self, crew: Crew, postgres: OwnServer, proxy: FarProxy, random: Random, log: KinesisLog
    ) -> None:
        super().__init__(crew, postgres, proxy, random)
        self._log = log

    def deck(self) -> dict[Blow, int]:
        return {**super().deck(), self.split: 2, self.merge: 2}

    def split(self) -> None:
        """Split a random shard in the middle, unless there are many."""
        open_shards = self._log.open_shards()
        if len(open_shards) < MOST_SHARDS:
            self._log.split(self._random.choice(open_shards))

    def merge(self) -> None:
        """Merge a random shard with its neighbour."""
        open_shards = self._log.open_shards()
        if len(open_shards) > 2:
            place = self._random.randrange(len(open_shards) - 1)
            self._log.merge(open_shards[place], open_shards[place + 1])
