"""What a subscription can read from Kinesis. Importable without boto3."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streamapp.brokers.base import Source

_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,128}")
_ARN = re.compile(r"arn:[^:\s]+:kinesis:[^:\s]*:\d*:stream/[a-zA-Z0-9_.-]{1,128}")


@dataclass(frozen=True, slots=True)
class KinesisStream(Source):
    """One stream, by name or ARN; its shards are spread over the workers by leases.

    `create_if_missing` is the number of shards with which a missing stream is made (0: it isn't made).
    `poll_interval` is how many seconds lie between two reads of a shard that has nothing new.
    """

    stream: str
    create_if_missing: int = 0
    poll_interval: float = 1.0

    def streams(self) -> Sequence[str]:
        """Return the stream as written."""
        return (self.stream,)

    def problems(self) -> Iterable[str]:
        """Refuse what is no name or ARN, numbers of shards below 0, and reads more often than 5 a second."""
        if not (_NAME.fullmatch(self.stream) or _ARN.fullmatch(self.stream)):
            yield f"{self.stream!r} is neither the name nor the ARN of a stream."
        if self.create_if_missing < 0:
            yield f"create_if_missing is a number of shards, or 0 for never, not {self.create_if_missing!r}."
        if self.create_if_missing and self.stream.startswith("arn:"):
            yield "create_if_missing makes a stream by its name. Name the stream, or leave it out."
        if self.poll_interval < 0.2:
            yield f"A shard takes 5 reads a second: poll_interval {self.poll_interval!r} is too short."
