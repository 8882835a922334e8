"""What a subscription can read from Kafka. Importable without confluent-kafka."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streamapp.brokers.base import Source
from streamapp.brokers.kafka.options import owned_problems

DIGIT = re.compile(r"(?<!\\)(?:\\\\)*\\[dD]")
"""A class of Python's which is the mere letter to the Kafka client."""


@dataclass(frozen=True, slots=True)
class KafkaTopic(Source):
    """One topic, read as a member of a consumer group.

    `group` is the subscription's name unless given. `client` goes to the client library as it is,
    over the broker's options.
    """

    topic: str
    group: str = ""
    client: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def streams(self) -> Sequence[str]:
        """Return the topic."""
        return (self.topic,)

    def problems(self) -> Iterable[str]:
        """Refuse a pattern, an empty name, and client options that streamapp sets."""
        yield from owned_problems(self.client)
        if self.topic.startswith("^"):
            yield f"{self.topic!r} is a pattern, KafkaTopic reads one topic. Use KafkaTopics({self.topic!r})."
        if not self.topic.strip():
            yield "The topic's name is empty."


@dataclass(frozen=True, slots=True, init=False)
class KafkaTopics(Source):
    """Several topics, or all whose names match a `^` pattern, read as a member of a consumer group.

    A pattern matches the beginning of a name; end it with `$` for the whole name.
    """

    topics: tuple[str, ...]
    group: str
    client: Mapping[str, Any] = field(hash=False)

    def __init__(
        self, topics: str | Iterable[str], group: str = "", client: Mapping[str, Any] | None = None
    ) -> None:
        """Take a list of names, or one pattern that begins with `^`."""
        object.__setattr__(self, "topics", (topics,) if isinstance(topics, str) else tuple(topics))
        object.__setattr__(self, "group", group)
        object.__setattr__(self, "client", dict(client or {}))

    def streams(self) -> Sequence[str]:
        """Return the topics, or the pattern."""
        return self.topics

    def problems(self) -> Iterable[str]:
        """Refuse an empty list, empty names, a wrong pattern, and client options that streamapp sets."""
        yield from owned_problems(self.client)
        if not self.topics:
            yield "The list of topics is empty."
        if any(not topic.strip() for topic in self.topics):
            yield "A topic's name is empty."
        patterns = [topic for topic in self.topics if topic.startswith("^")]
        if patterns and len(self.topics) > 1:
            yield f"The pattern {patterns[0]!r} stands in a list. Give it alone, or list names only."
        yield from filter(None, map(_pattern_problem, patterns))


@dataclass(frozen=True, slots=True)
class KafkaPartitions(Source):
    """A topic read without a consumer group: its partitions are spread over the workers by leases.

    `partitions` narrows it down to some of them.
    """

    topic: str
    partitions: tuple[int, ...] | None = None
    client: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def streams(self) -> Sequence[str]:
        """Return the topic."""
        return (self.topic,)

    def problems(self) -> Iterable[str]:
        """Refuse a pattern, an empty name, impossible partitions, and client options that streamapp sets."""
        yield from owned_problems(self.client)
        if self.topic.startswith("^") or not self.topic.strip():
            yield f"{self.topic!r} is not the name of a topic."
        if self.partitions is not None and (not self.partitions or min(self.partitions) < 0):
            yield f"{self.partitions!r} are not partitions. List numbers from 0, or leave it out for all."


def _pattern_problem(pattern: str) -> str | None:
    try:
        re.compile(pattern)
    except re.error as error:
        return f"{pattern!r} is not a regular expression: {error}."
    if DIGIT.search(pattern):
        return f"In {pattern!r} the Kafka client takes \\d for the letter. Write [0-9]."
    if not _is_taken(pattern):
        return f"{pattern!r} is refused by the Kafka client, which knows no (?…) or \\p. Use plain groups."
    return None


def _is_taken(pattern: str) -> bool:
    try:
        from streamapp.brokers.kafka.client import takes_pattern  # noqa: PLC0415
    except ImportError:
        return True  # another check says that the library is missing
    return takes_pattern(pattern)
