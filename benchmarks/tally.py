"""What is done with each record: it is counted, and at some counts the process is looked at."""

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.run import Moment, Run

PAGE = resource.getpagesize()


@dataclass
class Entry:
    """A line of a ledger."""

    id: int
    account: str
    amount: int
    revision: int
    booked_at: str
    text: str


run = Run.current()
total = run.records * run.passes
passes = range(run.records, total + 1, run.records) if run.records else ()
marks = iter([1, *passes[:-1], total - total // 100, total])
moments: list[Moment] = []
whenever_done: Callable[[], None] = lambda: None  # noqa: E731
clock_of_processor: Callable[[], float] = time.thread_time
"""By default that of the thread that handles."""
seen = 0
due = next(marks)


def begin() -> None:
    """Note a moment before the first record, for sides that count from there."""
    moments.append(moment())


def handle(entry: Entry) -> None:  # noqa: ARG001
    """Handle one record. Both sides call this very function for every record."""
    global seen  # noqa: PLW0603
    seen += 1
    if seen == due:
        _note()


def _note() -> None:
    """Note the first record, the last one of every pass, and where the timed part ends."""
    global due  # noqa: PLW0603
    moments.append(moment())
    due = next(marks, 0)
    if seen == total:
        whenever_done()


def moment() -> Moment:
    """Look at the process."""
    return Moment(seen, time.monotonic(), clock_of_processor(), _resident_mb())


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * PAGE / 2**20
