"""The settings of one node: a combined controller and broker, quick enough for tests."""

from __future__ import annotations

from pathlib import Path

from servers.ports import LOOPBACK


def node_properties(node: int, brokers: int, ports: dict[str, int], data: Path) -> str:
    """The text of its server.properties."""
    settings = {**identity(node, brokers, ports, data), **replication(brokers), **GROUPS, **LOGS, **SIZE}
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def port_names(brokers: int) -> list[str]:
    """The names under which the ports of a cluster are remembered."""
    return [f"{role}-{node}" for node in range(1, brokers + 1) for role in ("broker", "controller")]


def identity(node: int, brokers: int, ports: dict[str, int], data: Path) -> dict[str, object]:
    """Who the node is, where it listens and who votes."""
    voters = [f"{other}@{LOOPBACK}:{ports[f'controller-{other}']}" for other in range(1, brokers + 1)]
    broker = f"BROKER://{LOOPBACK}:{ports[f'broker-{node}']}"
    return {
        "process.roles": "broker,controller",
        "node.id": node,
        "controller.quorum.voters": ",".join(voters),
        "listeners": f"{broker},CONTROLLER://{LOOPBACK}:{ports[f'controller-{node}']}",
        "advertised.listeners": broker,
        "listener.security.protocol.map": "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "BROKER",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": data,
    }


def replication(brokers: int) -> dict[str, object]:
    """As many copies as there are brokers for, up to three."""
    copies, in_sync = min(3, brokers), min(2, brokers)
    return {
        "default.replication.factor": copies,
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": 4,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": in_sync,
        "transaction.state.log.num.partitions": 4,
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": in_sync,
        "share.coordinator.state.topic.num.partitions": 4,
    }


# Tests shorten sessions, so the lower bounds are far below what production would have.
GROUPS: dict[str, object] = {
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 1000,
    "group.consumer.session.timeout.ms": 10000,
    "group.consumer.min.session.timeout.ms": 1000,
    "group.consumer.heartbeat.interval.ms": 500,
    "group.consumer.min.heartbeat.interval.ms": 100,
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000,
}

# By the usual limit of a week an older record would be deleted before it is read; a topic may set its own.
# The short intervals let delete-records, retention and compaction be seen within a test.
LOGS: dict[str, object] = {
    "auto.create.topics.enable": "false",
    "log.retention.ms": -1,
    "log.retention.check.interval.ms": 1000,
    "log.initial.task.delay.ms": 1000,
    "log.segment.delete.delay.ms": 1000,
    "log.cleaner.backoff.ms": 1000,
    "log.cleaner.dedupe.buffer.size": 16 * 1024 * 1024,
    "log.index.size.max.bytes": 1024 * 1024,
}

SIZE: dict[str, object] = {
    "num.partitions": 1,
    "num.network.threads": 2,
    "num.io.threads": 4,
    "broker.heartbeat.interval.ms": 500,
    "broker.session.timeout.ms": 6000,
}
