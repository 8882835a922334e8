"""Ours, in a process of its own: what `runconsumers` runs, stopped as a supervisor stops it."""

import logging
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import django
from django.db.backends.signals import connection_created

from benchmarks import tally
from benchmarks.run import Result

updates: list[float] = []


def count_updates(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Note every row of the checkpoint table that a statement of this process writes."""
    result = execute(sql, params, many, context)
    if "UPDATE streamapp_checkpoint" in sql or 'UPDATE "streamapp_checkpoint"' in sql:
        updates.extend([time.monotonic()] * context["cursor"].rowcount)
    return result


def watch(connection: Any, **_: Any) -> None:
    """Count on each connection once, however often it is opened: lane, saver and heartbeat have one each."""
    if count_updates not in connection.execute_wrappers:
        connection.execute_wrappers.append(count_updates)


def prepare(settings: str) -> None:
    """Set Django up, before anything of the project is imported."""
    logging.basicConfig(level=logging.WARNING)
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    django.setup()


def run() -> int:
    """Run the mounted subscription until its last record was handled; return the code of the process."""
    connection_created.connect(watch)
    tally.whenever_done = lambda: os.kill(os.getpid(), signal.SIGTERM)
    code = consume()
    Result(tally.moments, updates).say()
    return code


def consume() -> int:
    """Run the mounted subscription until a signal; return the code of the process."""
    from streamapp import registry
    from streamapp.management.running.process import ConsumerProcess

    return ConsumerProcess(list(registry.mounts().values())).run()
