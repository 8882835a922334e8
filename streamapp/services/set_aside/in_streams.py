"""Dead letters in a stream, as plain values like those in the database; looked at, not read by a group."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from streamapp import registry
from streamapp.brokers.base import Broker
from streamapp.brokers.looking import Limits, Stop
from streamapp.copies import PREFIX, Copied, as_arrived
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.mount import Mount
from streamapp.positions import Earliest
from streamapp.records import Record, Shard
from streamapp.services.shown import shown

LIMITS = Limits(100, 4 * 1024 * 1024, 10.0)
LOOKS_WITHOUT_A_RECORD = 10


def letters_in(subscription: str, stream: str, since: datetime | None) -> Iterator[dict[str, Any]]:
    """Yield the dead letters of a subscription in a stream of its broker, shard by shard, oldest first.

    With `since` only those published then or later. Each look blocks for 10 seconds at most.
    Raises UnknownSubscription, InvalidPosition for a stream that isn't there, BrokerUnavailable.
    """
    mount = registry.mount(subscription)
    broker = registry.broker(mount.broker)
    shards = broker.shards(broker.whole(stream))
    if not shards:
        raise InvalidPosition(f"The broker {mount.broker} has no stream {stream}.")
    for shard, position in broker.resolve(Earliest(), shards).items():
        for record in _records(broker, shard, position):
            told = _told(record.headers)
            if told.get("subscription", subscription) != subscription:
                continue
            if since is None or record.timestamp is None or record.timestamp >= since:
                yield _values(record, told, mount, broker)


def _records(broker: Broker, shard: Shard, position: int) -> Iterator[Record]:
    idle = 0
    while idle < LOOKS_WITHOUT_A_RECORD:
        peeked = broker.peek(shard, position, LIMITS)
        yield from peeked.records
        if peeked.stop is Stop.END:
            return
        idle, position = (0 if peeked.records else idle + 1), peeked.next
    raise BrokerUnavailable(f"{shard} gave nothing in {idle} looks, and isn't at its end. Try again.")


def _told(headers: Mapping[str, bytes]) -> dict[str, str]:
    """Return what the headers say of the failure: JSON texts."""
    told = {}
    for name in ("subscription", "exception", "message", "trace"):
        try:
            told[name] = str(json.loads(headers[f"{PREFIX}{name}"]))
        except (KeyError, ValueError):
            continue  # another program's record, or none of a dead letter
    return told


def _values(record: Record, told: Mapping[str, str], mount: Mount, broker: Broker) -> dict[str, Any]:
    copied = Copied.read(record.headers)
    seen = shown(replace(record, headers=as_arrived(record.headers)), mount, broker.describe)
    return {
        "id": None,
        "subscription": mount.name,
        "place": f"{record.shard}@{broker.describe(record.position)}",
        "origin": copied.origin if copied else "",
        "attempts": copied.attempt if copied else None,
        "exception": told.get("exception", ""),
        "message": told.get("message", ""),
        "trace": told.get("trace", ""),
        "reason": copied.reason if copied else "",
        "given_up_at": record.timestamp,
        "first_failed_at": copied.first_failed_at if copied else None,
        "edited_by": "",
        "edited": None,
        "record_time": None,
        "key": seen.key.text,
        "headers": dict(seen.headers),
        "value": seen.value.text,
        "value_base64": None if mount.mask or record.value is None else b64encode(record.value).decode(),
        "problem": seen.value.problem,
    }
