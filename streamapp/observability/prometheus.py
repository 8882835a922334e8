"""The catalogue as Prometheus reads it. Needs the library prometheus-client; counts nothing itself."""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from streamapp.observability.metrics import BOUNDS, CATALOGUE, HANDLER_SECONDS, Kind, Metric
from streamapp.observability.tally import Tally

Sample = tuple[Metric, tuple[str, ...], float]
"""A metric, the values of its labels, and its value."""


class CatalogueCollector(Collector):
    """Collects at each scrape what `samples` and `tallies` return then; tallies come by subscription."""

    def __init__(
        self,
        samples: Callable[[], Iterable[Sample]],
        tallies: Callable[[], Iterable[tuple[str, Tally]]],
    ) -> None:
        self._samples = samples
        self._tallies = tallies

    def describe(self) -> Iterator[Family]:
        """Name the metrics without collecting."""
        return map(_family, CATALOGUE)

    def collect(self) -> Iterator[Family]:
        """Return every metric of the catalogue, with or without samples."""
        families = {metric: _family(metric) for metric in CATALOGUE}
        for metric, labels, value in self._samples():
            families[metric].add_metric(labels, value)  # type: ignore[attr-defined]
        for name, tally in self._tallies():
            for metric, count in tally.counts().items():
                families[metric].add_metric([name], count)  # type: ignore[attr-defined]
            families[HANDLER_SECONDS].add_metric([name], *_histogram(tally))  # type: ignore[attr-defined]
        return iter(families.values())


def _family(metric: Metric) -> Family:
    if metric.kind is Kind.COUNTER:
        return CounterMetricFamily(metric.name, metric.meaning, labels=metric.labels)
    if metric.kind is Kind.GAUGE:
        return GaugeMetricFamily(metric.name, metric.meaning, labels=metric.labels)
    return HistogramMetricFamily(metric.name, metric.meaning, labels=metric.labels)


def _histogram(tally: Tally) -> tuple[list[tuple[str, float]], float]:
    calls, seconds = tally.seconds()
    bounds = [*map(str, BOUNDS), "+Inf"]
    return list(zip(bounds, accumulate(calls), strict=True)), seconds
