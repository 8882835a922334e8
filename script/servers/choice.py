"""Which servers there are, and what runs each: a Docker engine where there is one, else a process."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from servers.base import Server
from servers.chromium import Chromium
from servers.docker import VARIABLES as COMPOSED
from servers.docker import ComposeServer, engine_answers
from servers.failure import ServiceError
from servers.kafka.server import KafkaServer
from servers.kinesis.server import KinesaliteServer, KinesisServer
from servers.moto.server import MotoServer
from servers.postgres import PostgresServer
from servers.rabbitmq.server import RabbitServer
from servers.redis import RedisServer

SERVERS: dict[str, Callable[[], Server]] = {
    "kafka": KafkaServer,
    "postgres": PostgresServer,
    "kinesis": KinesisServer,
    "moto": MotoServer,
    "kinesalite": KinesaliteServer,
    "redis": RedisServer,
    "rabbitmq": RabbitServer,
    "chromium": Chromium,
}
NAMES = tuple(SERVERS)
USUAL = ("kafka", "postgres", "kinesis")
"""Those that `up` means when none is named; the others serve benchmarks and single tests."""


def chosen_servers(names: Iterable[str], brokers: int | None) -> list[Server]:
    """One object a name, in the order of the names."""
    for name in names:
        if name not in SERVERS:
            raise ServiceError(f"There is no server {name!r}. There are: {', '.join(NAMES)}.")
    return [one(name, brokers) for name in dict.fromkeys(names)]


def one(name: str, brokers: int | None) -> Server:
    """By process if it runs so, if compose hasn't (so) many of it, or if there is no Docker engine."""
    process = SERVERS[name]()
    composed = name in COMPOSED and not (name == "kafka" and (brokers or 1) > 1)
    if not composed or process.status().running or not engine_answers():
        return process
    return ComposeServer(name)
