"""A record as the argument of a task: JSON, with all bytes in base64."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from streamapp.records import Record, Shard

Payload = Mapping[str, Any]


def payload_of(record: Record) -> Payload:
    """Return a record as JSON has it. The position is a text, because Kinesis numbers are long."""
    return {
        "stream": record.shard.stream,
        "incarnation": record.shard.incarnation,
        "shard": record.shard.id,
        "position": str(record.position),
        "value": _text(record.value),
        "key": _text(record.key),
        "headers": {name: _text(value) for name, value in record.headers.items()},
        "timestamp": record.timestamp.isoformat() if record.timestamp else None,
    }


def record_of(payload: Payload) -> Record:
    """Return the record that `payload_of` was given. Raises KeyError or ValueError for anything else."""
    moment = payload["timestamp"]
    return Record(
        shard=Shard(payload["stream"], payload["shard"], payload["incarnation"]),
        position=int(payload["position"]),
        value=_bytes(payload["value"]),
        key=_bytes(payload["key"]),
        headers={name: b64decode(value) for name, value in payload["headers"].items()},
        timestamp=datetime.fromisoformat(moment) if moment else None,
    )


def _text(value: bytes | None) -> str | None:
    return None if value is None else b64encode(value).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
