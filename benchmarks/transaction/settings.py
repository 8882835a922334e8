"""The project with one subscription in batches of 500: the measured side."""

from typing import Any

from benchmarks.kafka.client import client_options
from benchmarks.run import Run
from benchmarks.settings import *  # noqa: F403

run = Run.current()
SIDES: dict[str, dict[str, Any]] = {
    "own": {"HANDLER": "write_alone", "TRANSACTION": "none"},
    "exactly_once": {"HANDLER": "write_within", "TRANSACTION": "checkpoint"},
}
side = SIDES[run.side]
STREAMAPP = {
    "BROKERS": {
        "kafka": {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client_options()},
    },
    "SUBSCRIPTIONS": {
        run.name: {
            **side,
            "HANDLER": f"benchmarks.transaction.handlers.{side['HANDLER']}",
            "START_AT": "earliest",
            "BATCH": 500,
        }
    },
}
