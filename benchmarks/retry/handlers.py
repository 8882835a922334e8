"""The measured handler: it counts and never fails."""

from benchmarks import tally
from benchmarks.tally import Entry, handle
from streamapp import KafkaTopic, subscriber


@subscriber(KafkaTopic(tally.run.stream))
def count(entry: Entry) -> None:
    """Count what was handled."""
    handle(entry)
