"""The topic of a soak on Apache Kafka: written to by a producer, and read at the end without a group."""

import json
import time
import uuid
from collections import defaultdict
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.chaos.soak.history import Place

PARTITIONS = 6
PROTOCOLS = {
    "cooperative": {"partition.assignment.strategy": "cooperative-sticky"},
    "eager": {"partition.assignment.strategy": "range"},
}
SHORT_SESSION = {"session.timeout.ms": 3000, "heartbeat.interval.ms": 300}


class KafkaLog:
    """A replicated topic; what its producer was told is stored survives the death of a broker."""

    def __init__(self, servers: str, protocol: str) -> None:
        self.topic = f"soak-{uuid.uuid4().hex[:8]}"
        self.source = {"topic": self.topic}
        client = {"bootstrap.servers": servers, **SHORT_SESSION, **PROTOCOLS[protocol]}
        self.backend = {"BACKEND": "streamapp.brokers.kafka.KafkaBroker", "OPTIONS": client}
        self._servers = servers
        self._stored = 0
        self._producer = Producer(
            {"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 5, "log_level": 0}
        )

    def make(self) -> None:
        """Create the topic, with a copy on each of three brokers."""
        admin = AdminClient({"bootstrap.servers": self._servers})
        config = {"min.insync.replicas": "2"}
        [future] = admin.create_topics([NewTopic(self.topic, PARTITIONS, 3, config=config)]).values()
        future.result(30)

    def write(self, numbers: range, keys: int) -> None:
        """Hand numbered records to the producer, which tries until they are stored."""
        for number in numbers:
            self._producer.produce(
                self.topic, json.dumps(number).encode(), str(number % keys).encode(), on_delivery=self._told
            )
        self._producer.poll(0)

    def flush(self) -> int:
        """Wait until all is stored; returns how many records that are."""
        until = time.monotonic() + 120
        while self._producer.flush(1) and time.monotonic() < until:
            pass
        return self._stored

    def ends(self) -> dict[str, int]:
        """Return where a checkpoint must be for everything to have been handled."""
        with_ends = {}
        consumer = self._consumer()
        for partition in range(PARTITIONS):
            _, end = consumer.get_watermark_offsets(TopicPartition(self.topic, partition), timeout=30)
            with_ends[str(partition)] = end
        consumer.close()
        return with_ends

    def read(self) -> dict[str, list[Place]]:
        """Return every record of the topic, by shard and in order."""
        ends, found = self.ends(), defaultdict(list)
        consumer = self._consumer()
        consumer.assign([TopicPartition(self.topic, int(shard), 0) for shard, end in ends.items() if end])
        while sum(map(len, found.values())) < sum(ends.values()):
            for message in consumer.consume(1000, timeout=1):
                if message.error():
                    assert message.error().code() != KafkaError.OFFSET_OUT_OF_RANGE, message.error()
                    continue
                place = Place(message.offset(), int(message.value()), message.key().decode())
                found[str(message.partition())].append(place)
        consumer.close()
        return dict(found)

    def parents(self) -> dict[str, list[str]]:
        """Return nothing: partitions have no parents."""
        return {}

    def _consumer(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._servers,
                "group.id": "none",
                "enable.auto.commit": False,
                "log_level": 0,
            }
        )

    def _told(self, error: Any, message: Any) -> None:
        if error:
            raise RuntimeError(f"The producer gave up: {error}")
        self._stored += 1
