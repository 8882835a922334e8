"""The project with one subscription on Kafka: the measured side."""

from typing import Any

from benchmarks.kafka.client import client_options
from benchmarks.run import Run
from benchmarks.settings import *  # noqa: F403

run = Run.current()
SIDES: dict[str, dict[str, Any]] = {
    "batch": {"HANDLER": "handle_batch", "BATCH": 500, "TRANSACTION": "none"},
    "record": {"HANDLER": "handle_record", "TRANSACTION": "none"},
    "record_handler_transaction": {"HANDLER": "handle_record", "TRANSACTION": "handler"},
    "batch_again": {"HANDLER": "handle_batch_again", "BATCH": 500, "TRANSACTION": "none"},
    "record_again": {"HANDLER": "handle_record_again", "TRANSACTION": "none"},
}
side = SIDES[run.side]
STREAMAPP = {
    "BROKERS": {
        "kafka": {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client_options()},
    },
    "SUBSCRIPTIONS": {
        run.name: {**side, "HANDLER": f"benchmarks.kafka.handlers.{side['HANDLER']}", "START_AT": "earliest"}
    },
}
