"""Blows to a cluster of three brokers: one of them at a time."""

import signal
from random import Random

from tests.chaos.soak.blows import Blow
from tests.chaos.soak.crew import Crew
from tests.chaos.soak.far_proxy import FarProxy
from tests.chaos.soak.servers import OwnServer
from tests.chaos.soak.storm import Storm


class KafkaStorm(Storm):
    """A broker dies or leaves, and comes back before the next one goes."""

    def __init__(
        self, crew: Crew, postgres: OwnServer, proxy: FarProxy, random: Random, kafka: OwnServer
    ) -> None:
        super().__init__(crew, postgres, proxy, random)
        self._kafka = kafka
        self._gone: int | None = None

    def deck(self) -> dict[Blow, int]:
        return {**super().deck(), self.restart_broker: 1}

    def end(self) -> None:
        super().end()
        self._kafka.up()

    def restart_broker(self) -> None:
        """Kill a broker or ask it to leave, unless another one isn't back yet."""
        if self._gone is None and not self._kafka.is_starting:
            node = self._random.randrange(len(self._kafka.processes()))
            self._gone = self._kafka.strike(node, self._random.choice([signal.SIGKILL, signal.SIGTERM]))
            self.blows.later(self._random.uniform(1, 4), self._start_again)

    def _start_again(self) -> None:
        """Start it once the old process is gone; leaving takes a while."""
        if self._gone and self._kafka.lives(self._gone):
            self.blows.later(0.5, self._start_again)
        else:
            self._gone = None
            self._kafka.up_soon()
