"""What a subscription can read from the local broker: its own streams, and what Kafka and Kinesis have."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from streamapp.brokers.base import Source
from streamapp.brokers.kafka.sources import KafkaPartitions
from streamapp.brokers.kinesis.sources import KinesisStream
from streamapp.records import Shard


@dataclass(frozen=True, slots=True)
class LocalStream(Source):
    """One stream of the local broker, made at its first use with so many partitions.

    A stream with fewer partitions gets the rest; one with more keeps them.
    """

    stream: str
    partitions: int = 1

    def streams(self) -> Sequence[str]:
        """Return the stream."""
        return (self.stream,)

    def problems(self) -> Iterable[str]:
        """Refuse a pattern, an empty name and a number of partitions below 1."""
        if self.stream.startswith("^") or not self.stream.strip():
            yield f"{self.stream!r} is not the name of a stream."
        if self.partitions < 1:
            yield f"A stream has 1 partition or more, not {self.partitions}."


def named_streams(source: Source, partitions: int) -> dict[str, int]:
    """Return the streams that a source names, with how many partitions each needs.

    `partitions` is what a stream needs of which the source doesn't say more. A pattern names none.
    """
    if isinstance(source, LocalStream):
        return {source.stream: source.partitions}
    if isinstance(source, KinesisStream) and source.create_if_missing:
        return {source.stream: source.create_if_missing}
    if isinstance(source, KafkaPartitions) and source.partitions:
        partitions = max(partitions, *(number + 1 for number in source.partitions))
    return {name: partitions for name in source.streams() if not name.startswith("^")}


def belonging(shards: Collection[Shard], source: Source) -> list[Shard]:
    """Return those of the shards that are the source's, in the same order."""
    streams = {shard.stream for shard in shards}
    meant = {stream for stream in streams if any(_means(name, stream) for name in source.streams())}
    wanted = source.partitions if isinstance(source, KafkaPartitions) else None
    return [
        shard for shard in shards if shard.stream in meant and (wanted is None or int(shard.id) in wanted)
    ]


def _means(name: str, stream: str) -> bool:
    return re.match(name, stream) is not None if name.startswith("^") else name == stream
