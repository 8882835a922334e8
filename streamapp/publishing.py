"""Publishing from anywhere in a project."""

from collections.abc import Mapping
from typing import Any

from streamapp import registry
from streamapp.brokers.base import Published
from streamapp.codecs import encode
from streamapp.records import Shard
from streamapp.unsent import Unsent, keep_back


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
    that has no form in JSON and for a key or header that is neither text nor bytes.

    In a dry run nothing is sent: the record is kept for whoever asked for the run, and its place is
    the position 0 of a shard without a name.
    """
    through = registry.broker(broker)
    carried = {name: _bytes(text) for name, text in (headers or {}).items()}
    record = Unsent(destination, encode(value), _bytes(key), carried)
    if keep_back(record):
        return Published(Shard(destination, ""), 0)
    return through.publish(destination, record.value, key=record.key, headers=record.headers)


def _bytes(given: object) -> Any:
    """Return text as UTF-8, and bytes as they are."""
    if isinstance(given, str):
        return given.encode()
    if given is None or isinstance(given, bytes):
        return given
    raise TypeError(f"{given!r} is neither text nor bytes, and a key or header has to be.")
