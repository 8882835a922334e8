"""Looks at records of a partition with a client of its own: no group, no commit, closed afterwards."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from streamapp.brokers.kafka.chunks import KafkaChunk, offset_of
from streamapp.brokers.kafka.client import close_consumer, configuring
from streamapp.brokers.kafka.options import looking_options
from streamapp.brokers.kafka.queries import Queries
from streamapp.brokers.kafka.reports import Reports
from streamapp.brokers.looking import FIRST_SIZE, Gathering, Limits, Peeked, Stop, gone
from streamapp.exceptions import BrokerUnavailable
from streamapp.records import Shard

NAME = "streamapp-peek"
"""The client needs the name of a group. Nobody joins it and nothing is committed to it."""
Begun = dict[Shard, Gathering]


class Looks:
    """Looks on behalf of a broker. Used from any thread; each look has a client of its own."""

    def __init__(self, options: Mapping[str, Any], queries: Queries, reports: Reports) -> None:
        """Take the broker's options, what asks for the bounds of logs, and who is told of passing errors."""
        self._options = options
        self._queries = queries
        self._reports = reports

    def peek(self, shard: Shard, position: int, limits: Limits) -> Peeked:
        """Return the records from a position on, as readers see them: of aborted transactions none."""
        gathering = Gathering(position, limits)
        first, end = self._kept(shard, limits.seconds)
        gathering.move(min(max(position, first), end))
        if gathering.begin == end:
            return gathering.peeked(Stop.END)
        with self._client(limits) as consumer:
            consumer.assign([TopicPartition(shard.stream, int(shard.id), gathering.begin)])
            return gathering.peeked(_read(consumer, shard, gathering, end))

    def firsts(self, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Peeked]:
        """Return what stands first from each place on; what didn't come in time is left out."""
        limits = Limits(len(places), FIRST_SIZE, seconds)
        until = time.monotonic() + seconds
        waiting, done = self._begun(places, seconds)
        if waiting:
            with self._client(limits) as consumer:
                consumer.assign([_partition(shard, each.begin) for shard, each in waiting.items()])
                _read_firsts(consumer, waiting, done, until)
        return {
            shard: each.peeked(Stop.RECORDS if each.records else Stop.END) for shard, each in done.items()
        }

    def _begun(self, places: Mapping[Shard, int], seconds: float) -> tuple[Begun, Begun]:
        """Return the shards that have something from their places on, and those that have nothing."""
        queries = self._queries.within(seconds)
        existing = queries.existing(list(places))
        firsts, ends = queries.firsts(existing), queries.ends(existing)
        waiting: Begun = {}
        done: Begun = {}
        for shard in firsts.keys() & ends.keys():
            begin = min(max(places[shard], firsts[shard]), ends[shard])
            some = done if begin == ends[shard] else waiting
            some[shard] = Gathering(begin, Limits(1, FIRST_SIZE, seconds))
        return waiting, done

    def _kept(self, shard: Shard, seconds: float) -> tuple[int, int]:
        queries = self._queries.within(seconds)
        if not queries.existing([shard]):
            raise gone(shard)
        firsts, ends = queries.firsts([shard]), queries.ends([shard])
        if shard not in firsts or shard not in ends:
            raise gone(shard)
        return firsts[shard], ends[shard]

    @contextmanager
    def _client(self, limits: Limits) -> Iterator[Consumer]:
        ours = {"error_cb": self._reports.error, "logger": self._reports}
        with configuring("make a Kafka client to look at records"):
            consumer = Consumer({**ours, **looking_options(self._options, NAME, limits)})
        try:
            yield consumer
        finally:
            close_consumer(consumer, NAME)


def _read_firsts(consumer: Consumer, waiting: Begun, done: Begun, until: float) -> None:
    """Take one record of each partition, or its end; a partition that has given its own is paused."""
    shards = {(shard.stream, int(shard.id)): shard for shard in waiting}
    while waiting and (left := until - time.monotonic()) > 0:
        message = consumer.poll(left)
        shard = message and shards.get((message.topic() or "", message.partition() or 0))
        if not message or shard not in waiting:
            continue
        if (error := message.error()) is None:
            _take(message, shard, waiting[shard])
        elif error.code() != KafkaError._PARTITION_EOF:
            _refuse(error, shard, waiting[shard].next)
        if error is not None or waiting[shard].records:
            consumer.pause([_partition(shard, 0)])
            done[shard] = waiting.pop(shard)


def _partition(shard: Shard, offset: int) -> TopicPartition:
    return TopicPartition(shard.stream, int(shard.id), offset)


def _read(consumer: Consumer, shard: Shard, gathering: Gathering, end: int) -> Stop:
    """Take records until the end that was there at the beginning, or a limit."""
    while gathering.next < end:
        if stop := gathering.stop:
            return _excused(stop, shard, gathering)
        message = consumer.poll(gathering.seconds_left)
        if message is None:
            continue
        if (error := message.error()) is None:
            _take(message, shard, gathering)
        elif error.code() == KafkaError._PARTITION_EOF:
            gathering.next = offset_of(message)
            break
        else:
            _refuse(error, shard, gathering.next)
    return Stop.END


def _take(message: Message, shard: Shard, gathering: Gathering) -> None:
    offset = offset_of(message)
    if offset >= gathering.next:
        gathering.add(KafkaChunk(shard, [message], offset + 1).record(0), offset + 1)


def _refuse(error: KafkaError, shard: Shard, position: int) -> None:
    raise BrokerUnavailable(f"Kafka didn't give {shard} at {position}: {error.str()}. Look again.")


def _excused(stop: Stop, shard: Shard, gathering: Gathering) -> Stop:
    """Let a look end without a record only if the log says so."""
    if stop is Stop.SECONDS and not gathering.records:
        raise BrokerUnavailable(
            f"Kafka gave no record of {shard} from {gathering.begin} on in time. Look again, or further on."
        )
    return stop
