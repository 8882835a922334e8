"""Apache Kafka through confluent-kafka.

The sources can be declared where confluent-kafka isn't installed; the broker needs it.
"""

from typing import TYPE_CHECKING, Any

from streamapp.brokers.kafka.sources import KafkaPartitions, KafkaTopic, KafkaTopics

if TYPE_CHECKING:
    from streamapp.brokers.kafka.broker import KafkaBroker

__all__ = ["KafkaBroker", "KafkaPartitions", "KafkaTopic", "KafkaTopics"]


def __getattr__(name: str) -> Any:
    """Import the broker at its first use."""
    if name != "KafkaBroker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from streamapp.brokers.kafka.broker import KafkaBroker  # noqa: PLC0415

    return KafkaBroker
