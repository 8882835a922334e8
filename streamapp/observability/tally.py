"""What one subscription of this process has done, in plain numbers: whoever exports them reads them here."""

from bisect import bisect_left
from collections import Counter
from threading import Lock

from streamapp.observability.metrics import BOUNDS, CATALOGUE, RECORDS_HANDLED, Kind, Metric

COUNTED = tuple(metric for metric in CATALOGUE if metric.kind is Kind.COUNTER)


class Tally:
    """Counts since the start of the process. Used from any thread; each call holds a lock for a moment."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: Counter[str] = Counter()
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0

    def add(self, metric: Metric, number: int = 1) -> None:
        """Count something that happened."""
        with self._lock:
            self._counts[metric.name] += number

    def handled(self, records: int, calls: int, seconds: float) -> None:
        """Count records that came to an outcome, and calls that took so many seconds together."""
        with self._lock:
            self._counts[RECORDS_HANDLED.name] += records
            if calls:
                self._buckets[bisect_left(BOUNDS, seconds / calls)] += calls
                self._seconds += seconds

    def concluded(self) -> int:
        """Return how many records came to an outcome, as far as their work has ended."""
        with self._lock:
            return self._counts[RECORDS_HANDLED.name]

    def counts(self) -> dict[Metric, int]:
        """Return every counter, also those that are 0."""
        with self._lock:
            return {metric: self._counts[metric.name] for metric in COUNTED}

    def seconds(self) -> tuple[list[int], float]:
        """Return the calls by bucket, the last without a bound, and the seconds of all together."""
        with self._lock:
            return list(self._buckets), self._seconds
