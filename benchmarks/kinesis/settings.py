"""The project with one subscription on Kinesis: the measured side."""

from benchmarks.kinesis.client import options
from benchmarks.run import Run
from benchmarks.settings import *  # noqa: F403

run = Run.current()
STREAMAPP = {
    "BROKERS": {"kinesis": {"BACKEND": "streamapp.brokers.kinesis.KinesisBroker", "OPTIONS": options()}},
    "SUBSCRIPTIONS": {
        run.name: {
            "HANDLER": "benchmarks.kinesis.handlers.handle_record",
            "START_AT": "earliest",
            "TRANSACTION": "none",
        }
    },
}
