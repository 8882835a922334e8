"""A stream consumer for Django: Kafka topics and Kinesis streams, checkpoints in the ORM."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamapp.brokers.kafka.sources import KafkaPartitions, KafkaTopic, KafkaTopics
    from streamapp.brokers.kinesis.sources import KinesisStream
    from streamapp.brokers.local.sources import LocalStream
    from streamapp.context import BatchContext, Context
    from streamapp.outcomes import Outcome
    from streamapp.positions import KafkaPosition, KinesisPosition
    from streamapp.publishing import publish
    from streamapp.records import Record
    from streamapp.registry.declaration import subscriber

__all__ = [
    "BatchContext",
    "Context",
    "KafkaPartitions",
    "KafkaPosition",
    "KafkaTopic",
    "KafkaTopics",
    "KinesisPosition",
    "KinesisStream",
    "LocalStream",
    "Outcome",
    "Record",
    "publish",
    "subscriber",
]

_MODULES = {
    "BatchContext": "context",
    "Context": "context",
    "KafkaPartitions": "brokers.kafka.sources",
    "KafkaPosition": "positions",
    "KafkaTopic": "brokers.kafka.sources",
    "KafkaTopics": "brokers.kafka.sources",
    "KinesisPosition": "positions",
    "KinesisStream": "brokers.kinesis.sources",
    "LocalStream": "brokers.local.sources",
    "Outcome": "outcomes",
    "Record": "records",
    "publish": "publishing",
    "subscriber": "registry.declaration",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: settings import the package before the app registry is there."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value
