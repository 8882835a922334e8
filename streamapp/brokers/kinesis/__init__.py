"""Amazon Kinesis through boto3.

The sources can be declared where boto3 isn't installed; the broker needs it.
"""

from typing import TYPE_CHECKING, Any

from streamapp.brokers.kinesis.sources import KinesisStream

if TYPE_CHECKING:
    from streamapp.brokers.kinesis.broker import KinesisBroker

__all__ = ["KinesisBroker", "KinesisStream"]


def __getattr__(name: str) -> Any:
    """Import the broker at its first use."""
    if name != "KinesisBroker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from streamapp.brokers.kinesis.broker import KinesisBroker  # noqa: PLC0415

    return KinesisBroker
