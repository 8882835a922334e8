"""Making and closing the client of a reader."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from confluent_kafka import Consumer, KafkaException

from streamapp.brokers.kafka.news import News
from streamapp.brokers.kafka.reports import Reports
from streamapp.exceptions import ConfigurationError
from streamapp.observability.logs import Fields

logger = logging.getLogger(__name__)
CLOSE_TIMEOUT = 5.0


def make_consumer(options: dict[str, Any], name: str, news: News, reports: Reports) -> Consumer:
    """Make a client that tells its errors. Raises ConfigurationError for options that it doesn't take."""
    ours = {"error_cb": news.error, "on_commit": reports.commit, "logger": reports}
    with configuring(f"make a Kafka client for {name}"):
        return Consumer({**ours, **options})


@cache
def takes_pattern(pattern: str) -> bool:
    """Tell whether the client library understands a pattern of names; asks no cluster."""
    consumer = Consumer({"group.id": "unused"})
    try:
        consumer.subscribe([pattern])
    except KafkaException:
        return False
    finally:
        consumer.close()
    return True


def close_consumer(consumer: Consumer, name: str) -> None:
    """Leave the group and free the client; a client that hangs is given up after 5 seconds."""
    closing = threading.Thread(target=consumer.close, name=f"{name}-close", daemon=True)
    closing.start()
    closing.join(CLOSE_TIMEOUT)
    if closing.is_alive():
        logger.warning("Kafka client didn't close in time, it is abandoned. %s", Fields(subscription=name))


@contextmanager
def configuring(task: str) -> Iterator[None]:
    """Turn what the client says to its configuration into ConfigurationError."""
    try:
        yield
    except KafkaException as error:
        raise ConfigurationError(
            f"Can't {task}: {error.args[0].str()}. Change its options or source."
        ) from error
