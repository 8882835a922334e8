"""What the client library reports as errors, sorted by what has to be done about them."""

from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager

from confluent_kafka import KafkaError, KafkaException

from streamapp.exceptions import BrokerUnavailable

OUT_OF_RANGE = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE})
MISSING = frozenset(
    {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION}
)
FATAL = frozenset({KafkaError._FATAL, KafkaError.FENCED_INSTANCE_ID, KafkaError._FENCED})
MOVING = frozenset(
    {
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_COORDINATOR,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    }
)
"""A partition has no leader, or a group no coordinator, for a moment: it is new, or has just moved."""


def is_fatal(error: KafkaError) -> bool:
    """Tell whether the client can't go on after this error."""
    return error.fatal() or error.code() in FATAL


@contextmanager
def answering(question: str) -> Iterator[None]:
    """Turn the client's errors and timeouts into BrokerUnavailable; `question` says what was asked."""
    try:
        yield
    except (KafkaException, FutureTimeout) as error:
        reason = error.args[0] if error.args else "no answer in time"
        raise BrokerUnavailable(f"Kafka didn't tell {question}: {reason}. It may be asked again.") from error
