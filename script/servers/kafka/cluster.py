"""One cluster of Kafka: its nodes, their data and ports."""

from __future__ import annotations

import base64
import functools
import uuid
from pathlib import Path

from servers.kafka.java import java
from servers.kafka.properties import node_properties, port_names
from servers.kafka.protocol import living_brokers
from servers.packages import run
from servers.places import read_json, replace_text
from servers.ports import LOOPBACK, ports_for
from servers.processes import Daemon

START_SECONDS, STOP_SECONDS = 120, 20


class Cluster:
    """The nodes of one size of cluster, with their data and ports."""

    def __init__(self, directory: Path, size: int) -> None:
        self.directory = directory
        self.size = size
        self.nodes = {node: directory / f"node-{node}" for node in range(1, size + 1)}
        self.daemons = {
            node: Daemon(place, place / "server.properties") for node, place in self.nodes.items()
        }

    def start(self) -> None:
        """Start the nodes that don't run, and wait until each of them knows all."""
        if not self.pids():
            self.configure()
        started = [node for node, daemon in self.daemons.items() if daemon.pid() is None]
        for node in started:
            place = self.nodes[node]
            self.daemons[node].start(java("kafka.Kafka", str(place / "server.properties")), place)
        for node, daemon in self.daemons.items():
            daemon.wait_until(functools.partial(self.complete, node), START_SECONDS, f"Kafka's broker {node}")

    def configure(self) -> None:
        """Choose ports, write the settings, format the data directories that are new."""
        ports = ports_for(port_names(self.size), self.directory / "ports.json")
        for node, place in self.nodes.items():
            replace_text(place / "server.properties", node_properties(node, self.size, ports, place / "data"))
            if not (place / "data" / "meta.properties").exists():
                settings = str(place / "server.properties")
                run(java("kafka.tools.StorageTool", "format", "-t", self.identity(), "-c", settings))

    def identity(self) -> str:
        """The cluster's id, made once."""
        written = self.directory / "cluster.id"
        if not written.exists():
            replace_text(written, "s" + base64.urlsafe_b64encode(uuid.uuid4().bytes)[1:22].decode())
        return written.read_text()

    def stop(self) -> bool:
        """Stop every node. All are asked before the first is waited for: they elect among themselves."""
        for daemon in self.daemons.values():
            daemon.ask()
        stopped = [daemon.stop(STOP_SECONDS) for daemon in self.daemons.values()]
        return any(stopped)

    def pids(self) -> list[int]:
        """The processes that run."""
        return [pid for daemon in self.daemons.values() if (pid := daemon.pid()) is not None]

    def port(self, node: int) -> int:
        """Where the node's broker listens."""
        return int(read_json(self.directory / "ports.json").get(f"broker-{node}", 0))

    def addresses(self) -> str:
        """The bootstrap servers."""
        return ",".join(f"{LOOPBACK}:{self.port(node)}" for node in self.nodes)

    def complete(self, node: int) -> bool:
        """Whether this broker answers and knows all the others."""
        return len(living_brokers(LOOPBACK, self.port(node))) == self.size

    def answers(self) -> bool:
        """Whether every broker answers and knows all the others."""
        return all(self.complete(node) for node in self.nodes)
