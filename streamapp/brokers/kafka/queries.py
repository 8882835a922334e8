"""Questions to the cluster on a client of their own, each with a bound on the time it may take."""

import copy
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Self, TypeVar

from confluent_kafka import (
    Consumer,
    IsolationLevel,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._listoffsets import OffsetSpec
from confluent_kafka.admin._topic import TopicDescription

from streamapp.brokers.kafka.client import close_consumer
from streamapp.brokers.kafka.failures import MISSING, MOVING, answering
from streamapp.brokers.kafka.options import onlooker_options, without_membership
from streamapp.brokers.kafka.reports import Reports
from streamapp.records import Shard

TIMEOUT = 10.0
PAUSE = 0.1
SHORTEST = 0.1
Answer = TypeVar("Answer")


class Queries:
    """Asks the cluster. Used from any thread; each process gets a client of its own at its first question.

    Every method blocks for up to 10 seconds, or what `within` says, and raises BrokerUnavailable after that.
    """

    def __init__(self, options: Mapping[str, Any], reports: Reports) -> None:
        """Keep the broker's options; the isolation level among them decides where a log ends."""
        self._options = options
        self._reports = reports
        self._clients: dict[int, AdminClient] = {}
        self._until: float | None = None
        uncommitted = options.get("isolation.level") == "read_uncommitted"
        self._isolation = IsolationLevel.READ_UNCOMMITTED if uncommitted else IsolationLevel.READ_COMMITTED

    def within(self, seconds: float) -> Self:
        """Return the same that asks on the same client, with so many seconds for all its questions."""
        hurried = copy.copy(self)
        hurried._until = time.monotonic() + seconds
        return hurried

    def topics(self) -> list[str]:
        """Return the names of all topics."""
        with answering("which topics there are"):
            return sorted(self._client().list_topics(timeout=self._patience()).topics)

    def describe(self, topics: Iterable[str]) -> dict[str, TopicDescription]:
        """Return what the topics are now; those that don't exist are left out."""
        names = sorted(set(topics))
        if not names:
            return {}
        with answering(f"about the topics {', '.join(names)}"):
            return _found(self.ask(names))

    def ask(self, topics: Iterable[str]) -> Mapping[str, Future[TopicDescription]]:
        """Ask what the topics are now, without waiting for the answers."""
        asked: Mapping[str, Future[TopicDescription]] = self._client().describe_topics(
            TopicCollection(sorted(topics)), request_timeout=self._patience()
        )
        return asked

    def incarnations(self, topics: Iterable[str]) -> dict[str, str]:
        """Return the id of each topic; those that don't exist are left out."""
        return {name: str(topic.topic_id) for name, topic in self.describe(topics).items()}

    def existing(self, shards: Sequence[Shard]) -> list[Shard]:
        """Return those of the shards that are there now, in their incarnation."""
        topics = self.describe(shard.stream for shard in shards)
        return [shard for shard in shards if _is_in(topics.get(shard.stream), shard)]

    def firsts(self, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Return the offset of the oldest record of each shard; shards that don't exist are left out."""
        return self._offsets(shards, OffsetSpec.earliest())  # type: ignore[no-untyped-call]

    def ends(self, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Return the offset of the next readable record to come; shards that don't exist are left out."""
        return self._offsets(shards, OffsetSpec.latest())  # type: ignore[no-untyped-call]

    def since(self, shards: Sequence[Shard], milliseconds: int) -> dict[Shard, int]:
        """Return the first offset not older than a moment; shards without one are left out."""
        found = self._offsets(shards, OffsetSpec.for_timestamp(max(milliseconds, 0)))
        return {shard: offset for shard, offset in found.items() if offset >= 0}

    def retentions(self, topics: Iterable[str]) -> dict[str, float]:
        """Return after how many seconds topics delete records; those that never do so by age are left out."""
        asked = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in sorted(topics)]
        if not asked:
            return {}
        with answering("how long topics keep records"):
            found = _found(self._client().describe_configs(asked, request_timeout=self._patience()))
        seconds = {resource.name: _retention(entries) for resource, entries in found.items()}
        return {name: kept for name, kept in seconds.items() if kept is not None}

    def committed(self, group: str, shards: Sequence[Shard]) -> dict[Shard, int]:
        """Return where the group stands in each shard in which it has committed."""
        asked = {(shard.stream, int(shard.id)): shard for shard in shards}
        partitions = [TopicPartition(*key) for key in asked]
        # Not by the admin client: its process dies of an answer that a coordinator gives while it loads.
        with answering(f"what the group {group} has committed"), self._onlooker(group) as consumer:
            found = self._asked_again(lambda: _committed(consumer, partitions, self._patience()))
        return {asked[entry.topic, entry.partition]: entry.offset for entry in found if entry.offset >= 0}

    @contextmanager
    def _onlooker(self, group: str) -> Iterator[Consumer]:
        """Make a client that may ask for the group's offsets; it never joins the group."""
        consumer = Consumer({**self._ours(), **onlooker_options(self._options, group)})
        try:
            yield consumer
        finally:
            close_consumer(consumer, group)

    def _offsets(self, shards: Sequence[Shard], spec: OffsetSpec) -> dict[Shard, int]:
        if not shards:
            return {}
        asked = {TopicPartition(shard.stream, int(shard.id)): shard for shard in shards}
        with answering(f"offsets of {', '.join(map(str, shards))}"):
            found = self._asked_again(lambda: _found(self._listed(dict.fromkeys(asked, spec))))
        return {asked[partition]: result.offset for partition, result in found.items()}

    def _listed(self, asked: dict[TopicPartition, OffsetSpec]) -> Mapping[Any, Any]:
        return self._client().list_offsets(
            asked, isolation_level=self._isolation, request_timeout=self._patience()
        )

    def _asked_again(self, ask: Callable[[], Answer]) -> Answer:
        """Ask until there is an answer, up to the timeout, while a leader or a coordinator is moving."""
        until = time.monotonic() + self._patience()
        while True:
            try:
                return ask()
            except KafkaException as error:
                if error.args[0].code() not in MOVING or time.monotonic() > until:
                    raise
            time.sleep(PAUSE)

    def _patience(self) -> float:
        """Return how many seconds a question may take."""
        if self._until is None:
            return TIMEOUT
        return min(TIMEOUT, max(SHORTEST, self._until - time.monotonic()))

    def close(self) -> None:
        """Forget the client of this process."""
        self._clients.pop(os.getpid(), None)

    def _client(self) -> AdminClient:
        """Return this process's client; one of a parent stays untouched, because it dies with the fork."""
        client = self._clients.get(os.getpid())
        if client is None:
            client = AdminClient({**without_membership(self._options), **self._ours()})
            client = self._clients.setdefault(os.getpid(), client)
        client.poll(0)
        return client

    def _ours(self) -> dict[str, Any]:
        return {"error_cb": self._reports.error, "logger": self._reports}


def _found(futures: Mapping[Any, Any]) -> dict[Any, Any]:
    found = {}
    for asked, future in futures.items():
        try:
            found[asked] = future.result(TIMEOUT)
        except KafkaException as error:
            if error.args[0].code() not in MISSING:
                raise
    return found


def _committed(consumer: Consumer, partitions: list[TopicPartition], timeout: float) -> list[TopicPartition]:
    found = consumer.committed(partitions, timeout=timeout)
    for entry in found:
        if entry.error:
            raise KafkaException(entry.error)
    return found


def _retention(entries: Mapping[str, Any]) -> float | None:
    """Read the age at which records go; None for a topic that is only compacted or keeps them for ever."""
    deletes = "delete" in (entries["cleanup.policy"].value or "")
    milliseconds = int(entries["retention.ms"].value or -1)
    return milliseconds / 1000 if deletes and milliseconds >= 0 else None


def _is_in(topic: TopicDescription | None, shard: Shard) -> bool:
    if topic is None or shard.incarnation not in ("", str(topic.topic_id)):
        return False
    return any(str(partition.id) == shard.id for partition in topic.partitions)
