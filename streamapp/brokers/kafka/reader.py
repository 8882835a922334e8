"""Reading partitions with one client: what group members and lone readers have in common."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition

from streamapp.brokers.base import Subscribing
from streamapp.brokers.kafka.assignment import Assignment, EagerAssignment
from streamapp.brokers.kafka.chunks import KafkaChunk, Key, expected, milliseconds_of, offset_of, runs
from streamapp.brokers.kafka.client import close_consumer, make_consumer
from streamapp.brokers.kafka.failures import MISSING, OUT_OF_RANGE
from streamapp.brokers.kafka.news import News
from streamapp.brokers.kafka.options import consumer_options, is_eager
from streamapp.brokers.kafka.queries import Queries
from streamapp.brokers.kafka.reports import Reports
from streamapp.brokers.kafka.watch import TopicWatch
from streamapp.brokers.lags import Lags
from streamapp.brokers.reading import Behind, Chunk, Event, OutOfRange, Polled, Reader
from streamapp.records import Shard

SLICE = 0.05
"""A wait is cut into pieces of so many seconds, because the client's own wait doesn't end at an event."""


class KafkaReader(Reader):
    """Reads the partitions that were opened, each from the place that was given.

    Positions are its own bookkeeping. After a call that failed half-way, and after a slow handler, it
    reads again from there, so nothing that was fetched can get lost.
    """

    def __init__(
        self, options: Mapping[str, Any], subscribing: Subscribing, reports: Reports, queries: Queries
    ) -> None:
        """Start the client. Raises ConfigurationError for options that it doesn't take."""
        names = subscribing.source.streams()
        self._name = subscribing.name
        self._limit = subscribing.limit
        self._linger = subscribing.linger
        self._batch = subscribing.batch
        self._only_topic = names[0] if len(names) == 1 and not names[0].startswith("^") else None
        self._reports = reports
        self._queries = queries
        self._news = News(subscribing.name, reports)
        self._watch = TopicWatch(names, queries, reports)
        settings = consumer_options(options, subscribing.group)
        self._consumer = make_consumer(settings, subscribing.name, self._news, reports)
        self._assignment = (EagerAssignment if is_eager(options) else Assignment)(self._consumer)
        self._shards: dict[Key, Shard] = {}
        self._paused: set[Key] = set()
        self._lags: Lags[Key] = Lags()
        self._dozing = False

    def poll(self, timeout: float) -> Polled:
        """Return what is there, waiting up to `timeout` seconds.

        Raises ReaderFailed when the client is broken for good, BrokerUnavailable when a new assignment
        can't be told in full yet; the next call tells it.
        """
        self._wake()
        try:
            return self._sorted(self._fetch(timeout))
        except BaseException:
            self._dozing = True
            raise

    def keep_alive(self) -> None:
        """Serve the client and deliver nothing. Records that come are read again at the next poll."""
        if not self._dozing:
            self._assignment.rest(list(self._assignment.next))
            self._dozing = True
        self._without_errors(self._consumer.consume(self._limit, 0), {})

    def open(self, positions: Mapping[Shard, int]) -> None:
        """Read each of these shards from its position on."""
        places = {_key(shard): position for shard, position in positions.items() if self._takes(shard)}
        self._paused.difference_update(places)
        self._lags.opened(places)
        self._assignment.open(places)

    def close_shards(self, shards: Iterable[Shard]) -> None:
        """Stop reading these shards."""
        keys = self._open_keys(shards)
        self._paused.difference_update(keys)
        self._assignment.close(keys)

    def pause(self, shards: Iterable[Shard]) -> None:
        """Deliver nothing of these shards until `resume` or `open`."""
        keys = self._open_keys(shards)
        self._paused.update(keys)
        self._assignment.rest(keys)

    def resume(self, shards: Iterable[Shard]) -> None:
        """Go on behind the last record delivered of these shards."""
        keys = [key for key in self._open_keys(shards) if key in self._paused]
        self._paused.difference_update(keys)
        self._assignment.read(keys)

    def mirror(self, positions: Mapping[Shard, int]) -> None:
        """Commit to the group without waiting; a refusal is logged."""
        offsets = [TopicPartition(*_key(shard), position) for shard, position in positions.items()]
        try:
            if offsets:
                self._consumer.commit(offsets=offsets, asynchronous=True)
        except KafkaException as error:
            self._reports.commit(error.args[0], offsets)

    def lags(self) -> dict[Shard, Behind]:
        """Return how far the client has to read to the ends that its last fetches brought."""
        ends = {key: self._known_end(key) for key in self._assignment.reading}
        return {
            self._shards[key]: self._lags.behind(key, end - self._assignment.next[key])
            for key, end in ends.items()
            if end >= 0
        }

    def close(self) -> None:
        """Leave the group and free the client, within 5 seconds."""
        close_consumer(self._consumer, self._name)

    def _known_end(self, key: Key) -> int:
        """Return the end of a partition as the client remembers it, negative if it doesn't."""
        _, end = self._consumer.get_watermark_offsets(TopicPartition(*key), cached=True)
        return end

    def _takes(self, shard: Shard) -> bool:
        """Tell whether the shard may be opened."""
        self._shards[_key(shard)] = shard
        return True

    def _arrived(self) -> Sequence[Event]:
        """Return what the group has given."""
        return ()

    def _wake(self) -> None:
        if self._dozing:
            self._assignment.read([key for key in self._assignment.next if key not in self._paused])
            self._dozing = False

    def _fetch(self, timeout: float) -> list[Message]:
        messages = self._consumer.consume(self._limit, 0) or self._first(timeout)
        lacking = min(-len(messages) % self._batch, self._limit - len(messages))
        if self._linger and messages and lacking > 0:
            messages += self._consumer.consume(lacking, self._linger)
        return messages

    def _first(self, timeout: float) -> list[Message]:
        """Wait for one message or event, then take what came with it."""
        while timeout > 0 and not self._has_news():
            message = self._consumer.poll(min(timeout, SLICE))
            if message is not None:
                return [message, *(self._consumer.consume(self._limit - 1, 0) if self._limit > 1 else ())]
            timeout -= SLICE
        return []

    def _has_news(self) -> bool:
        return bool(self._news)

    def _sorted(self, messages: list[Message]) -> Polled:
        reached: dict[Key, int] = {}
        if any(map(Message.error, messages)):
            messages = self._without_errors(messages, reached)
        self._news.raise_failure()
        if self._watch.is_due():
            self._look_at_topics()
        arrived = self._arrived()
        return Polled([*self._news.take(), *arrived], self._chunks(messages), self._ends(reached))

    def _chunks(self, messages: list[Message]) -> list[Chunk]:
        chunks: list[Chunk] = []
        for key, run in runs(messages, self._only_topic):
            position = self._assignment.next.get(key)
            if position is not None and (kept := expected(run, position)):
                end = offset_of(kept[-1]) + 1
                self._assignment.next[key] = end
                self._lags.delivered(key, milliseconds_of(kept[-1]))
                chunks.append(KafkaChunk(self._shards[key], kept, end))
        return chunks

    def _ends(self, reached: Mapping[Key, int]) -> dict[Shard, int]:
        """Take the ends that nothing was delivered behind, and pass the gaps in front of them."""
        ends = {key: end for key, end in reached.items() if self._assignment.next.get(key, end + 1) <= end}
        self._assignment.next.update(ends)
        return {self._shards[key]: end for key, end in ends.items()}

    def _without_errors(self, messages: list[Message], reached: dict[Key, int]) -> list[Message]:
        for message in messages:
            if (error := message.error()) is not None:
                self._sort_error(message, error, reached)
        return [message for message in messages if message.error() is None]

    def _sort_error(self, message: Message, error: KafkaError, reached: dict[Key, int]) -> None:
        key, code = (message.topic() or "", message.partition() or 0), error.code()
        if code == KafkaError._PARTITION_EOF:
            reached[key] = offset_of(message)
        elif code in OUT_OF_RANGE and key in self._assignment.next:
            self._news.note(OutOfRange(self._shards[key], self._assignment.next[key]))
            self._assignment.close([key])
        elif code in MISSING and key[0]:
            self._news.missing(key[0])
        else:
            self._news.error(error)

    def _look_at_topics(self) -> None:
        seen = self._watch.look([shard.stream for shard in self._shards.values()])
        for topic in seen.missing:
            self._news.missing(topic)
        remade = [key for key, shard in self._shards.items() if _is_older(shard, seen.ids.get(key[0]))]
        if remade:
            self._leave_remade(remade)

    def _leave_remade(self, keys: Sequence[Key]) -> None:
        """Read no more of a topic that was made again: the next offset means nothing in the new one."""
        self._assignment.close(keys)

    def _open_keys(self, shards: Iterable[Shard]) -> list[Key]:
        wanted = set(shards)
        return [key for key in self._assignment.next if self._shards[key] in wanted]


class PartitionReader(KafkaReader):
    """Reads partitions without a group; the engine says which."""

    assigns = False


def _key(shard: Shard) -> Key:
    return shard.stream, int(shard.id)


def _is_older(shard: Shard, incarnation: str | None) -> bool:
    return incarnation is not None and shard.incarnation not in ("", incarnation)
