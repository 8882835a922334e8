"""How a task is given to the Celery broker: with its answer, and without waiting for it for ever."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from kombu.messaging import Producer
from kombu.pools import producers

PATIENCE_SECONDS = 4.0
"""How long one answer of the Celery broker may take; a transport option of the app's own goes before it.

Clients ask several times, so that this is a fifth of what a broker that is silent takes at most.
"""
_LIMITS = ("socket_timeout", "socket_connect_timeout", "read_timeout", "write_timeout")
"""What the transports call it: Redis the first two, AMQP the others. Each ignores what it doesn't know."""


@contextmanager
def publishing(app: Any) -> Iterator[dict[str, Any]]:
    """Yield the options for one `apply_async`, which then returns once the Celery broker has taken the task.

    It raises otherwise: if the broker is down, refuses, is silent for PATIENCE_SECONDS, or has no queue
    for the task. Whatever is raised in here closes the connection, because a late answer on it would
    confirm the next task instead. From any thread.
    """
    with producers[_connection(app)].acquire(block=True) as producer:
        try:
            yield _options(app, producer)
        except BaseException:
            producer.connection.collect(PATIENCE_SECONDS)
            raise


@cache
def _connection(app: Any) -> Any:
    """Return what the app's pool of connections is known by; there is another one after a fork."""
    bounded = dict.fromkeys(_LIMITS, PATIENCE_SECONDS)
    asked = {**bounded, **app.conf.task_publish_retry_policy, **app.conf.broker_transport_options}
    return app.connection_for_write(transport_options={**asked, "confirm_publish": True})


def _options(app: Any, producer: Producer) -> dict[str, Any]:
    return {
        "producer": producer,
        "retry": True,
        "retry_policy": app.conf.task_publish_retry_policy,
        "mandatory": True,
        # AMQP under TLS doesn't know the limits of its socket.
        "timeout": PATIENCE_SECONDS,
        "confirm_timeout": PATIENCE_SECONDS,
    }
