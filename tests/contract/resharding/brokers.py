"""Kinesis brokers that answer as the real service does after days, or in trouble."""

from typing import Any

from streamapp.brokers.kinesis import KinesisBroker
from streamapp.exceptions import BrokerUnavailable
from streamapp.records import Shard
from tests.contract.broker.benches import kinesis_options


class RetainingBroker(KinesisBroker):
    """Lists no more what a test has put past its retention; no emulator drops closed shards."""

    def __init__(self) -> None:
        super().__init__("kinesis", kinesis_options("KINESIS_ENDPOINT_URL"))
        self.expired: set[Shard] = set()

    def lineage(self, source: Any, max_age: float = 0.0) -> dict[Shard, tuple[Shard, ...]]:
        listed = super().lineage(source, max_age)
        return {
            shard: tuple(parent for parent in parents if parent not in self.expired)
            for shard, parents in listed.items()
            if shard not in self.expired
        }


class ForgetfulBroker(RetainingBroker):
    """Names no parents until it is told to."""

    forgets = True

    def lineage(self, source: Any, max_age: float = 0.0) -> dict[Shard, tuple[Shard, ...]]:
        listed = super().lineage(source, max_age)
        return dict.fromkeys(listed, ()) if self.forgets else listed


class CountingBroker(KinesisBroker):
    """Counts the requests for listings, and refuses them when it is told to."""

    def __init__(self) -> None:
        super().__init__("kinesis", kinesis_options("KINESIS_ENDPOINT_URL"))
        self.listings = 0
        self.refuses = False
        events = self.clients.asking().meta.events
        events.register("before-call.kinesis.ListShards", self._count)

    def _count(self, **_: Any) -> None:
        self.listings += 1
        if self.refuses:
            raise BrokerUnavailable("asked to")
