"""The project with one subscription, with the intervals that streamapp has by default."""

from benchmarks.kafka.client import client_options
from benchmarks.run import Run
from benchmarks.settings import *  # noqa: F403

run = Run.current()
STREAMAPP = {
    "BROKERS": {
        "kafka": {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client_options()},
    },
    "SUBSCRIPTIONS": {run.name: {"HANDLER": "benchmarks.rewind.handlers.note", "START_AT": "earliest"}},
}
