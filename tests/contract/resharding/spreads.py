"""The same scene on Kinesis and on partitions of Kafka: eight shards, and workers that come and go."""

from abc import ABC, abstractmethod
from typing import Any

from streamapp.brokers.kafka.sources import KafkaPartitions
from streamapp.models import Lease
from tests.contract.moving.stage import Stage as KafkaStage
from tests.contract.resharding.stage import Stage as KinesisStage

SHARDS = 8


class Spread(ABC):
    stage: Any

    @abstractmethod
    def publish(self) -> None:
        """Publish ten records a shard, or so."""

    @abstractmethod
    def handled(self) -> list[str]: ...

    @abstractmethod
    def published(self) -> set[str]: ...

    @abstractmethod
    def start(self) -> Any: ...

    def holders(self) -> list[int]:
        return sorted(len(worker.consumer.holdings.states) for worker in self.stage.workers)

    def go_round(self) -> None:
        """One interval: every worker looks once, reads and handles."""
        for worker in self.stage.workers:
            worker.run_once()

    def free(self) -> int:
        """How many shards no worker has."""
        leases = Lease.objects.filter(checkpoint__subscription__name=self.stage.name)
        return leases.filter(worker=None).count()


class KinesisSpread(Spread):
    def __init__(self, stage: KinesisStage) -> None:
        self.stage = stage

    def publish(self) -> None:
        self.stage.publish(10 * SHARDS)

    def handled(self) -> list[str]:
        return self.stage.journal.values  # type: ignore[no-any-return]

    def published(self) -> set[str]:
        return set(self.stage.published)

    def start(self) -> Any:
        return self.stage.start()


class KafkaSpread(Spread):
    def __init__(self, log: Any) -> None:
        self.log = log
        self.topic = log.topic(partitions=SHARDS)
        self.stage = KafkaStage(log, KafkaPartitions(self.topic))
        self.made: list[Any] = []

    def publish(self) -> None:
        for partition in range(SHARDS):
            self.log.fill(self.topic, 10, partition)

    def handled(self) -> list[str]:
        return [value for worker in self.made for value in worker.handled]

    def published(self) -> set[str]:
        ends = {partition: self.log.end(self.topic, partition) for partition in range(SHARDS)}
        return {f"{partition}@{number}" for partition, end in ends.items() for number in range(end)}

    def start(self) -> Any:
        self.made.append(self.stage.start(start_at="earliest"))
        return self.made[-1]
