"""A project in miniature: handlers mounted on streams of one broker, run by a service under test."""

import itertools
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from streamapp.brokers.base import Broker, Published
from streamapp.codecs import decoder_for
from streamapp.mount import Mount
from streamapp.records import Shard
from streamapp.registry.handlers import shape_of
from streamapp.testing import Delivery, Service
from tests.contract.broker.benches import Bench

_keys: dict[tuple[str, int], dict[int, str]] = {}


class Project:
    """Mounts handlers, starts services, publishes to a chosen shard."""

    def __init__(self, alias: str, bench: Bench, services: ExitStack) -> None:
        self.alias = alias
        self.bench = bench
        self.published: defaultdict[Shard, list[int]] = defaultdict(list)
        self._services = services

    def mount(self, handler: Callable[..., Any], partitions: int = 1, **options: Any) -> Mount:
        """Mount a handler on a stream of its own, as its settings would."""
        shape = shape_of(handler)
        on_the_loop = shape.is_async and not shape.is_batch
        stream = self.bench.stream(partitions)
        standard: dict[str, Any] = {
            "name": f"reads {stream}",
            "handler": handler,
            "shape": shape,
            "decode": decoder_for(shape.annotation),
            "broker": self.alias,
            "source": self.bench.subscribed(stream),
            "group": stream,
            "batch": 100 if shape.is_batch else None,
            "transaction": "none" if on_the_loop else "handler",
        }
        return Mount(**{**standard, **options})

    def start(self, *mounts: Mount, **options: Any) -> "Running":
        live = self.alias != "local"
        service = self._services.enter_context(Service(mounts=mounts, live=live, **options))
        return Running(self, service, mounts[0] if mounts else None)

    def key(self, shard: int, partitions: int) -> str:
        """Return a key that leads to this shard of a stream with so many partitions."""
        known = _keys.setdefault((self.alias, partitions), {})
        if len(known) < partitions:
            probe = self.bench.stream(partitions)
            shards = self.bench.shards(probe)
            for key in map(str, itertools.count()):
                place = self.bench.broker.publish(probe, b"", key=key.encode())
                known.setdefault(shards.index(place.shard), key)
                if len(known) == partitions:
                    break
        return known[shard]


class Running:
    """A service with one subscription, and shorter ways to say what the tests say often."""

    def __init__(self, project: Project, service: Service, mount: Mount | None) -> None:
        self.project = project
        self.service = service
        self.mount = mount

    @property
    def broker(self) -> Broker:
        return self.project.bench.broker

    @property
    def stream(self) -> str:
        return self.mount.source.streams()[0]

    def publish(self, *values: Any, shard: int = 0, partitions: int = 1, **options: Any) -> list[Published]:
        if partitions > 1:
            options["key"] = self.project.key(shard, partitions)
        places = [self.service.publish(self.stream, value, **options) for value in values]
        for place in places:
            self.project.published[place.shard].append(place.position)
        return places

    def run(self, *values: Any, **options: Any) -> "Running":
        """Publish to the first shard and run until all is quiet."""
        self.publish(*values)
        self.service.run(**options)
        return self

    def place(self, position: int, shard: int = 0) -> int:
        """Return how many records of a shard lie in front of a position."""
        published = self.project.published[self.project.bench.shards(self.stream)[shard]]
        return self.project.bench.place(position, published)

    def checkpoint(self, shard: int = 0) -> int:
        """Return how many records lie in front of the stored position."""
        return self.place(self.service.checkpoint(self.mount.name, shard), shard)

    @property
    def settled(self) -> list[tuple[Any, str]]:
        return [_short(delivery) for delivery in self.service.settled]

    @property
    def held(self) -> list[tuple[Any, str]]:
        return [_short(delivery) for delivery in self.service.held]


def _short(delivery: Delivery) -> tuple[Any, str]:
    return delivery.record.value, delivery.outcome.kind.value
