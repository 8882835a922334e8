"""Topics of the local broker."""

import zlib
from collections.abc import Iterable
from datetime import datetime
from itertools import count

from streamapp.brokers.base import Subscribing
from streamapp.brokers.local import LocalBroker, LocalStream
from tests.contract.moving.logs import Log


class LocalLog(Log):
    def __init__(self) -> None:
        super().__init__()
        self.broker: LocalBroker = LocalBroker("local", {}, clock=lambda: self.now)

    def make(self, topic: str, partitions: int) -> None:
        self.broker.reader(Subscribing(topic, LocalStream(topic, partitions), topic)).close()

    def delete(self, topic: str) -> None:
        self.broker.delete_stream(topic)

    def trim(self, topic: str, before: int, partition: int = 0) -> None:
        self.broker.trim(self.shards(topic)[partition], before)

    def write(
        self, topic: str, values: Iterable[str], partition: int = 0, at: datetime | None = None
    ) -> None:
        key = self._key(partition, len(self.shards(topic)))
        present, self.now = self.now, at or self.now
        self.broker.publish_many(topic, [(key, value.encode()) for value in values])
        self.now = present

    def close(self) -> None:
        self.broker.close()

    def _key(self, partition: int, partitions: int) -> bytes:
        keys = (str(number).encode() for number in count())
        return next(key for key in keys if zlib.crc32(key) % partitions == partition)
