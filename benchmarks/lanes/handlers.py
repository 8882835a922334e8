"""The measured handlers: each record waits for up to 5 ms, by its number."""

import asyncio
import threading
import time

from benchmarks import tally
from benchmarks.tally import Entry
from streamapp import KafkaTopic, subscriber

SOURCE = KafkaTopic(tally.run.stream)
STEPS = 5_001
PRIME = 7_919
"""Spreads the waits evenly over the records, in an order that has nothing to do with their keys."""
lock = threading.Lock()


def wait_of(entry: Entry) -> float:
    """Return for how many seconds a record waits: from 0 to 5 ms, 2.5 on average."""
    return entry.id * PRIME % STEPS / 1_000_000


def begin() -> None:
    """Start the clock at the first call."""
    if not tally.moments:
        with lock:
            if not tally.moments:
                tally.begin()


def count(entry: Entry) -> None:
    """Count a record, whatever the number of threads."""
    with lock:
        tally.handle(entry)


@subscriber(SOURCE)
def wait_in_thread(entry: Entry) -> None:
    """Wait as code does that blocks."""
    begin()
    time.sleep(wait_of(entry))
    count(entry)


@subscriber(SOURCE)
async def wait_on_loop(entry: Entry) -> None:
    """Wait as a coroutine does."""
    begin()
    await asyncio.sleep(wait_of(entry))
    count(entry)
