"""The handler that nothing ever reaches."""

from benchmarks.leases.still import StillWater
from benchmarks.run import Run
from streamapp import subscriber

run = Run.current()


@subscriber(StillWater(run.stream, run.records))
def wait_for_ever(record: bytes) -> None:
    """Handle nothing."""
