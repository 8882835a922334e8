"""The sampler: tells the database how far each shard is behind, for whoever looks."""

import logging
from collections.abc import Sequence

from django.db import Error as DatabaseError

from streamapp.engine.consumer import Consumer
from streamapp.observability.logs import Fields
from streamapp.store import Store
from streamapp.store.connections import close_old_connections
from streamapp.store.lags import Sample

logger = logging.getLogger("streamapp.sampling")
SAMPLE_SECONDS = 3.0
PATIENCE_SECONDS = 1.0


class Sampler:
    """Writes one sample a shard of all lanes, on a thread and a connection of its own."""

    def __init__(self, consumers: Sequence[Consumer], store: Store) -> None:
        self._consumers = consumers
        self._store = store
        self.latest: dict[int, Sample] = {}
        """The last samples, by checkpoint."""

    def sample_once(self) -> bool:
        """Write where all shards stand; False if that failed, which is reported and disturbs nobody."""
        close_old_connections()
        try:
            samples = self._samples()
            self.latest = {sample.checkpoint: sample for sample in samples}
            if samples:
                self._store.lags.write(samples)
        except DatabaseError as error:
            logger.warning("Lag not written, trying again. %s", Fields(error=error))
            return False
        except Exception:
            # Readers may raise what they like here: a figure that is missing is no reason to stop.
            logger.exception("Lag not sampled, trying again.")
            return False
        return True

    def _samples(self) -> list[Sample]:
        return [
            sample
            for consumer in self._consumers
            for sample in consumer.holdings.samples(consumer.reading.lags(PATIENCE_SECONDS))
        ]
