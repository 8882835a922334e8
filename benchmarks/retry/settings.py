"""The project with one subscription of single records, with a ladder and without: the measured sides."""

from typing import Any

from benchmarks.kafka.client import client_options
from benchmarks.run import Run
from benchmarks.settings import *  # noqa: F403

run = Run.current()
SIDES: dict[str, dict[str, Any]] = {
    "without": {},
    "with_policy": {
        "RETRY": {"attempts": 3, "backoff": "0.2s..30s", "fatal": ["builtins.ValueError"]},
        "MAX_ATTEMPTS": 8,
        "RETRY_DELAY": "10s..10m",
        "DEAD_LETTER_LIMIT": "30% of 100",
    },
}
STREAMAPP = {
    "BROKERS": {
        "kafka": {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client_options()},
    },
    "SUBSCRIPTIONS": {
        run.name: {
            **SIDES[run.side],
            "HANDLER": "benchmarks.retry.handlers.count",
            "START_AT": "earliest",
            "TRANSACTION": "none",
        }
    },
}
