"""The keeper: does for every lane what can't wait until its handler returns."""

from collections.abc import Callable, Sequence

from streamapp.engine.consumer import Consumer
from streamapp.engine.gate import Life

SILENCE_SECONDS = 1.0
TICK_SECONDS = 0.2


class Keeper:
    """Polls in the stead of busy lanes, and voids what runs once the worker's life is over."""

    def __init__(self, consumers: Sequence[Consumer], life: Life, clock: Callable[[], float]) -> None:
        self._consumers = consumers
        self._life = life
        self._clock = clock

    def run_once(self) -> None:
        """Look after all lanes once; waits for none of them."""
        # Identities are read first: a lane may come back to life between the question and its answer.
        identities = [consumer.holdings.worker for consumer in self._consumers]
        over = self._life.is_over(self._clock())
        for consumer, identity in zip(self._consumers, identities, strict=True):
            if over:
                consumer.holdings.void(identity)
            if consumer.reading.keep_alive(SILENCE_SECONDS):
                # The lane should deal with what arrived before it calls its handler again.
                consumer.gate.interrupt()
