"""Reading as a member of a consumer group."""

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from streamapp.brokers.base import Subscribing
from streamapp.brokers.kafka.chunks import Key
from streamapp.brokers.kafka.client import configuring
from streamapp.brokers.kafka.options import is_consumer_protocol
from streamapp.brokers.kafka.queries import Queries
from streamapp.brokers.kafka.reader import KafkaReader
from streamapp.brokers.kafka.reports import Reports
from streamapp.brokers.reading import Assigned, Event, Lost, Revoked
from streamapp.exceptions import ConfigurationError
from streamapp.records import Shard


class GroupReader(KafkaReader):
    """Reads what the group assigns, in any of its protocols.

    The client's callbacks run inside `poll`, `keep_alive` and `close`. They answer the group and note
    what happened; they raise nothing, because an exception would cost the batch being fetched.
    """

    assigns = True

    def __init__(
        self, options: Mapping[str, Any], subscribing: Subscribing, reports: Reports, queries: Queries
    ) -> None:
        """Start the client and join the group with the first poll.

        Raises ConfigurationError for options and patterns that the client doesn't take.
        """
        super().__init__(options, subscribing, reports, queries)
        self._arriving: list[Key] = []
        try:
            self._subscribe(subscribed_names(subscribing.source.streams(), options))
        except ConfigurationError:
            self.close()
            raise

    def _subscribe(self, names: list[str]) -> None:
        with configuring(f"subscribe {self._name} to {', '.join(names)}"):
            self._consumer.subscribe(
                names, on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_lost
            )

    def _takes(self, shard: Shard) -> bool:
        """Tell whether the shard is assigned; an answer that comes too late opens nothing."""
        return self._shards.get((shard.stream, int(shard.id))) == shard

    def _has_news(self) -> bool:
        return bool(self._arriving) or super()._has_news()

    def _arrived(self) -> Sequence[Event]:
        """Tell the new assignment, with the incarnation of each topic as it is now."""
        if not self._arriving:
            return ()
        found = self._queries.incarnations({topic for topic, _ in self._arriving})
        arrived = {
            key: Shard(key[0], str(key[1]), found[key[0]]) for key in self._arriving if key[0] in found
        }
        self._arriving = [key for key in self._arriving if key not in arrived]
        self._shards.update(arrived)
        self._news.found(found)
        self._watch.restart()
        return (Assigned(tuple(arrived.values())),) if arrived else ()

    def _leave_remade(self, keys: Sequence[Key]) -> None:
        """Lose the shards of a topic that was made again, and take its new ones in their place."""
        super()._leave_remade(keys)
        self._note_left(keys, Lost)
        self._arriving += keys

    def _on_assign(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        with self._news.guarded():
            self._assignment.accept()
            self._arriving += map(_key, partitions)
            if not partitions:
                self._news.note(Assigned(()))

    def _on_revoke(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        self._leave(partitions, Revoked)

    def _on_lost(self, _consumer: Consumer, partitions: Sequence[TopicPartition]) -> None:
        self._leave(partitions, Lost)

    def _leave(self, partitions: Sequence[TopicPartition], event: type[Revoked] | type[Lost]) -> None:
        with self._news.guarded():
            keys = list(map(_key, partitions))
            self._assignment.give_up(keys)
            self._arriving = [key for key in self._arriving if key not in keys]
            self._note_left(keys, event)

    def _note_left(self, keys: Sequence[Key], event: type[Revoked] | type[Lost]) -> None:
        self._paused.difference_update(keys)
        if left := tuple(self._shards.pop(key) for key in keys if key in self._shards):
            self._news.note(event(left))


def subscribed_names(names: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """Return what to subscribe to; a pattern matches the beginning of a name, in every protocol."""
    if is_consumer_protocol(options):
        return [f"^({name}).*" if name.startswith("^") else name for name in names]
    return list(names)


def _key(partition: TopicPartition) -> Key:
    return partition.topic, partition.partition
