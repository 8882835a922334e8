"""Python's garbage collector, kept from walking through the project while many objects are made at once."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Start no collection meanwhile, in any thread; for what takes a moment and keeps what it makes.

    A plan of ten thousand shards starts the collector over a hundred times, and each of the larger runs
    looks at all that the project has loaded. Where blocks overlap the first to end lets it run again.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
