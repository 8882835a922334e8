"""Publishing from anywhere in a project."""

from collections.abc import Mapping
from typing import Any

from streamapp import registry
from streamapp.brokers.base import Published
from streamapp.codecs import encode


def publish(
    destination: str,
    value: Any,
    *,
    key: str | bytes | None = None,
    headers: Mapping[str, str | bytes] | None = None,
    broker: str | None = None,
) -> Published:
    """Publish a value to a topic or stream; returns when the broker has confirmed it, with its place.

    Bytes go as they are, text as UTF-8, None as a null value (a tombstone), everything else as JSON.
    `broker` is an alias of STREAMAPP["BROKERS"]; without it, the only one or the one named `default`.
    It blocks up to the broker's timeout and knows nothing of a database transaction around it.

    Raises PublishFailed when the record was refused or not confirmed in time, BrokerUnavailable when
    the broker knows that it couldn't be reached and nothing was stored (Kafka's client doesn't, and
    raises PublishFailed), ConfigurationError for an alias that can't be used, and TypeError for a value
    that has no form in JSON.
    """
    return registry.broker(broker).publish(
        destination,
        encode(value),
        key=_bytes(key),
        headers={name: _bytes(text) for name, text in (headers or {}).items()},
    )


def _bytes(text: Any) -> Any:
    return text.encode() if isinstance(text, str) else text
