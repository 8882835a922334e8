"""GET /metrics for Prometheus."""

import logging
from collections.abc import Iterable, Iterator

from streamapp.engine.condition import Condition
from streamapp.engine.consumer import Consumer
from streamapp.engine.worker import Worker
from streamapp.observability import metrics
from streamapp.observability.logs import Fields
from streamapp.observability.metrics import Metric
from streamapp.observability.tally import Tally
from streamapp.records import Shard

logger = logging.getLogger("streamapp.metrics")
Sample = tuple[Metric, tuple[str, ...], float]


class MetricsServer:
    """Serves the default registry of prometheus-client: ours, the process's, and the project's own."""

    def __init__(self, address: str, port: int, worker: Worker, condition: Condition) -> None:
        """Bind the port, 0 for a free one; raises OSError, and ImportError without prometheus-client."""
        from prometheus_client import REGISTRY, start_http_server  # noqa: PLC0415

        from streamapp.observability.prometheus import CatalogueCollector  # noqa: PLC0415

        self._registry = REGISTRY
        self._server, self._thread = start_http_server(port, address)
        self._collector = CatalogueCollector(
            lambda: gauges(worker, condition), lambda: tallies(worker.consumers)
        )
        REGISTRY.register(self._collector)
        self.port: int = self._server.server_address[1]
        logger.info("Metrics are told. %s", Fields(address=address, port=self.port))

    def close(self) -> None:
        """Answer no more, and free the port."""
        self._registry.unregister(self._collector)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def tallies(consumers: Iterable[Consumer]) -> Iterator[tuple[str, Tally]]:
    """Yield what each subscription has counted."""
    return ((consumer.mount.name, consumer.watch.tally) for consumer in consumers)


def gauges(worker: Worker, condition: Condition) -> Iterator[Sample]:
    """Yield how things stand now; lags as the sampler last saw them. Asks neither database nor broker."""
    yield metrics.HEARTBEAT_AGE, (), condition.heartbeat_age
    for consumer in worker.consumers:
        name = consumer.mount.name
        yield metrics.SHARDS_HELD, (name,), len(consumer.holdings.states)
        for kind, count in worker.alerting.count(name).items():
            yield metrics.ALERTS, (name, str(kind)), count
        yield from _lags(worker, consumer)
        yield from _ages(consumer)


def _lags(worker: Worker, consumer: Consumer) -> Iterator[Sample]:
    latest = worker.sampler.latest
    for shard, state in list(consumer.holdings.states.items()):
        if sample := latest.get(state.checkpoint):
            labels = _labels(consumer, shard)
            if sample.records is not None:
                yield metrics.LAG_RECORDS, labels, sample.records
            if sample.milliseconds is not None:
                yield metrics.LAG_SECONDS, labels, sample.milliseconds / 1000


def _ages(consumer: Consumer) -> Iterator[Sample]:
    """Yield the ages of stored checkpoints; a process that stores none has none."""
    if consumer.mount.checkpoints == "database":
        for shard, seconds in consumer.watch.ages(consumer.holdings).items():
            yield metrics.CHECKPOINT_AGE, _labels(consumer, shard), seconds


def _labels(consumer: Consumer, shard: Shard) -> tuple[str, ...]:
    return consumer.mount.name, shard.stream, shard.id
