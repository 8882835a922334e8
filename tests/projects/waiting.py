"""Waiting for what must come true."""

import time
from collections.abc import Callable


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Return as soon as the condition holds; fail if it doesn't in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it didn't come true in time"
        time.sleep(0.02)
