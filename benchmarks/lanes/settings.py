"""The project with one subscription of one lane or a hundred: the measured side."""

from typing import Any

from benchmarks.kafka.client import client_options
from benchmarks.run import Run
from benchmarks.settings import *  # noqa: F403

run = Run.current()
LANES = 100
SIDES: dict[str, dict[str, Any]] = {
    "key_async": {"HANDLER": "wait_on_loop", "ORDER": "key", "LANES": LANES},
    "none_async": {"HANDLER": "wait_on_loop", "ORDER": "none", "LANES": LANES},
    "key_threads": {"HANDLER": "wait_in_thread", "ORDER": "key", "LANES": LANES},
    "none_threads": {"HANDLER": "wait_in_thread", "ORDER": "none", "LANES": LANES},
    "shard": {"HANDLER": "wait_in_thread"},
}
side = SIDES[run.side]
STREAMAPP = {
    "BROKERS": {
        "kafka": {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client_options()},
    },
    "SUBSCRIPTIONS": {
        run.name: {
            **side,
            "HANDLER": f"benchmarks.lanes.handlers.{side['HANDLER']}",
            "START_AT": "earliest",
            "TRANSACTION": "none",
        }
    },
}
