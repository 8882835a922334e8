"""The options of the client library, the same for both sides."""

import os
from typing import Any

BACKOFF_MILLISECONDS = 10
"""How long the client fetches nothing once its queue was full.

By default that is a second, in which a fast reader empties the queue and then waits: both sides would
measure that wait, and look alike.
"""
SHORT_QUEUE = {"queued.max.messages.kbytes": 4096}
"""For the measurement of memory: how full the client's queue of up to 64 MB is, is chance."""


def client_options() -> dict[str, Any]:
    """Return where the brokers are, and the one option that is not the library's default."""
    return {
        "bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"],
        "fetch.queue.backoff.ms": BACKOFF_MILLISECONDS,
    }
