"""The emulators of Kinesis on this machine, one process each; their streams live in memory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from servers.endpoint import EndpointServer
from servers.kinesis.node import CLOCK, directory, install_emulators, node

SHORT = "10ms"
DURATIONS = (
    "CREATE_STREAM",
    "DELETE_STREAM",
    "SPLIT_SHARD",
    "MERGE_SHARDS",
    "UPDATE_SHARD_COUNT",
    "UPDATE_STREAM_MODE",
    "START_STREAM_ENCRYPTION",
    "STOP_STREAM_ENCRYPTION",
)
SETTINGS = {
    **{f"{name}_DURATION": SHORT for name in DURATIONS},
    "SHARD_LIMIT": "5000",
    "ON_DEMAND_STREAM_COUNT_LIMIT": "500",
    "SHOULD_PERSIST_DATA": "false",
    "LOG_LEVEL": "WARN",
}


class KinesisServer(EndpointServer):
    """kinesis-local: shards, children and lineage as Amazon has them. It trims and throttles nothing."""

    name = "kinesis"
    variable = "KINESIS_ENDPOINT_URL"
    ports = ("plain", "tls")

    def install(self) -> None:
        install_emulators()

    def command(self, ports: dict[str, int]) -> list[str]:
        # The emulator takes no argument; this one is how the process is known as ours.
        return node("kinesis-local/main.js", str(self.mark()))

    def settings(self, ports: dict[str, int]) -> dict[str, str]:
        return {
            **os.environ,
            **SETTINGS,
            "KINESIS_MOCK_PLAIN_PORT": str(ports["plain"]),
            "KINESIS_MOCK_TLS_PORT": str(ports["tls"]),
            "KINESIS_MOCK_CERT_PATH": str(directory() / "node_modules/kinesis-local/server.json"),
        }


class KinesaliteServer(EndpointServer):
    """kinesalite: it trims what is older than the retention, and its iterators end one call later."""

    name = "kinesalite"
    variable = "KINESALITE_ENDPOINT_URL"
    ports = ("plain",)

    def install(self) -> None:
        install_emulators()

    def command(self, ports: dict[str, int]) -> list[str]:
        shutil.rmtree(self.mark(), ignore_errors=True)
        waits = [part for name in ("create", "delete", "update") for part in (f"--{name}StreamMs", "10")]
        place = ["--port", str(ports["plain"]), "--path", str(self.mark()), "--shardLimit", "1000"]
        return node("kinesalite/cli.js", *place, *waits, preload=(CLOCK,))

    def settings(self, ports: dict[str, int]) -> dict[str, str]:
        return {**os.environ, "KINESALITE_CLOCK": str(self.clock())}

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "KINESALITE_CLOCK": str(self.clock())}

    def clock(self) -> Path:
        """The file by which its clock is moved, in milliseconds."""
        return self.state / "clock"
