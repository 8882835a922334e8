"""Topics of Apache Kafka. Importable without its client."""

import os
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tests.contract.moving.logs import PATIENCE_SECONDS, Log, wait_for


class KafkaLog(Log):
    def __init__(self) -> None:
        from confluent_kafka.admin import AdminClient

        from streamapp.brokers.kafka import KafkaBroker

        super().__init__()
        self.servers = {"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"]}
        watchful = {"topic.metadata.refresh.interval.ms": 500, "heartbeat.interval.ms": 200}
        self.broker = KafkaBroker("kafka", {**self.servers, **watchful}, clock=lambda: self.now)
        self.admin = AdminClient(self.servers)
        self.producer = self._producer()
        self.made: set[str] = set()

    def make(self, topic: str, partitions: int) -> None:
        from confluent_kafka.admin import NewPartitions, NewTopic

        if topic in self.made:
            self.admin.create_partitions([NewPartitions(topic, partitions)])[topic].result()
            self.producer = self._producer()  # one that doesn't remember how many there were
        else:
            kept = {"retention.ms": "-1"}
            wait_for(lambda: self._is_made(NewTopic(topic, partitions, config=kept)), lambda: topic)
            self.made.add(topic)

    def delete(self, topic: str) -> None:
        self.admin.delete_topics([topic])[topic].result()
        self.made.discard(topic)
        wait_for(lambda: not self.shards(topic), lambda: f"{topic} is gone")

    def trim(self, topic: str, before: int, partition: int = 0) -> None:
        from confluent_kafka import TopicPartition

        place = TopicPartition(topic, partition, before)
        self.admin.delete_records([place])[place].result()

    def write(
        self, topic: str, values: Iterable[str], partition: int = 0, at: datetime | None = None
    ) -> None:
        moment = int((at or self.now).timestamp() * 1000)
        failed: list[object] = []
        for value in values:
            self.producer.produce(
                topic,
                value.encode(),
                partition=partition,
                timestamp=moment,
                on_delivery=lambda error, _: failed.append(error) if error else None,
            )
        assert (self.producer.flush(PATIENCE_SECONDS), failed) == (0, [])

    def commit(self, group: str, topic: str, offset: int, partition: int = 0) -> None:
        """Be an existing consumer of the group that stands at an offset."""
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition

        places = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, partition, offset)])
        for future in self.admin.alter_consumer_group_offsets([places]).values():
            future.result()

    def close(self) -> None:
        for future in self.admin.delete_topics(list(self.made)).values() if self.made else ():
            future.result(PATIENCE_SECONDS)
        self.broker.close()

    def _producer(self) -> Any:
        from confluent_kafka import Producer

        return Producer(self.servers)

    def _is_made(self, topic: Any) -> bool:
        """A topic of the same name may still be on its way out."""
        from confluent_kafka import KafkaException

        try:
            self.admin.create_topics([topic])[topic.topic].result()
        except KafkaException:
            return False
        return True
