"""Where Kinesis begins to read, as it wants to be told."""

from typing import Any

from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.clients import naming
from streamapp.positions import Moment
from streamapp.records import Shard


def open_iterator(client: Any, shard: Shard, position: int) -> str:
    """Return an iterator that begins at a position; inside an aggregate at the whole of it."""
    answer = client.get_shard_iterator(**naming(shard.stream), ShardId=shard.id, **beginning(position))
    return str(answer["ShardIterator"])


def beginning(position: int) -> dict[str, Any]:
    """Return the parameters of a request that say where to begin."""
    place = packing.unpack(position)
    if place is None:
        return {"ShardIteratorType": "TRIM_HORIZON"}
    if isinstance(place, Moment):
        return {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": place.milliseconds / 1000}
    kind = "AFTER_SEQUENCE_NUMBER" if place.after else "AT_SEQUENCE_NUMBER"
    return {"ShardIteratorType": kind, "StartingSequenceNumber": str(place.sequence)}
