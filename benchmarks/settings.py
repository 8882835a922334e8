"""A project with nothing but streamapp and what it needs, and one subscription: the measured side."""

from typing import Any

import environ

from benchmarks.client import client_options
from benchmarks.run import Run

env = environ.Env()
run = Run.current()

SECRET_KEY = "only for measurements"  # noqa: S105
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "streamapp"]
DATABASES = {"default": env.db()}

SIDES: dict[str, dict[str, Any]] = {
    "batch": {"HANDLER": "benchmarks.handlers.handle_batch", "BATCH": 500, "TRANSACTION": "none"},
    "record": {"HANDLER": "benchmarks.handlers.handle_record", "TRANSACTION": "none"},
    "record_handler_transaction": {"HANDLER": "benchmarks.handlers.handle_record", "TRANSACTION": "handler"},
    "batch_again": {"HANDLER": "benchmarks.handlers.handle_batch_again", "BATCH": 500, "TRANSACTION": "none"},
    "record_again": {"HANDLER": "benchmarks.handlers.handle_record_again", "TRANSACTION": "none"},
}
STREAMAPP = {
    "BROKERS": {
        "kafka": {
            "BACKEND": "streamapp.brokers.kafka.KafkaBroker",
            "OPTIONS": client_options(),
        }
    },
    "SUBSCRIPTIONS": {run.name: {**SIDES[run.side], "START_AT": "earliest"}} if run.side in SIDES else {},
}
