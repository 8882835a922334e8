"""Apache Kafka on this machine: one process a broker, each a combined controller and broker."""

from __future__ import annotations

import shutil

from servers.base import Server, Status
from servers.failure import ServiceError
from servers.kafka.cluster import Cluster
from servers.kafka.java import install_kafka
from servers.places import state_of


class KafkaServer(Server):
    """A cluster of one broker, or of the number asked for. Each size has its own data."""

    name = "kafka"

    def __init__(self) -> None:
        self.state = state_of(self.name)

    def install(self) -> None:
        install_kafka()

    def up(self, brokers: int | None) -> bool:
        running = self.running_size()
        if running and brokers not in (None, running):
            raise ServiceError(
                f"Kafka runs with {running} broker(s), not {brokers}. Stop it: script/services down kafka. "
                "Or start a second set of servers: set STREAMAPP_SERVICES_STATE to another directory."
            )
        size = running or brokers or 1
        if running and self.status().healthy:
            return False
        cluster = Cluster(self.state / f"cluster-{size}", size)
        cluster.start()
        return True

    def down(self) -> bool:
        stopped = [cluster.stop() for cluster in self.clusters()]
        return any(stopped)

    def wipe(self) -> None:
        for cluster in self.clusters():
            shutil.rmtree(cluster.directory)

    def status(self) -> Status:
        for cluster in self.clusters():
            if pids := cluster.pids():
                answers = len(pids) == cluster.size and cluster.answers()
                note = f"{len(pids)} of {cluster.size} brokers"
                return Status(
                    self.name, True, answers, cluster.addresses(), pids, log=str(cluster.directory), note=note
                )
        return Status(self.name, False, False)

    def environment(self) -> dict[str, str]:
        return {"KAFKA_BOOTSTRAP_SERVERS": self.status().where}

    def running_size(self) -> int | None:
        """The number of brokers of the cluster that runs, wholly or in part."""
        return next((cluster.size for cluster in self.clusters() if cluster.pids()), None)

    def clusters(self) -> list[Cluster]:
        """Every cluster that was ever started here."""
        found = sorted(self.state.glob("cluster-*"))
        return [Cluster(directory, int(directory.name.partition("-")[2])) for directory in found]
