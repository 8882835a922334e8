"""Servers by a Docker engine, as docker-compose.yml has them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

from servers.base import Server, Status
from servers.packages import run
from servers.places import CHECKOUT, LABEL, read_json, state_of
from servers.ports import LOOPBACK, ports_for

START_SECONDS = 120
VARIABLES = {
    "kafka": ("KAFKA_BOOTSTRAP_SERVERS", "{address}"),
    "postgres": ("DATABASE_URL", "postgres://streamapp:streamapp@{address}/streamapp"),
    "redis": ("REDIS_URL", "redis://{address}/0"),
    "rabbitmq": ("RABBITMQ_URL", "amqp://guest:guest@{address}//"),
}


@functools.cache
def engine_answers() -> bool:
    """Whether a Docker engine with compose is to be used here. STREAMAPP_DOCKER=no says it is not."""
    if os.environ.get("STREAMAPP_DOCKER") == "no" or shutil.which("docker") is None:
        return False
    try:
        commands = (["docker", "info"], ["docker", "compose", "version"])
        return all(
            subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
            for command in commands
        )
    except subprocess.TimeoutExpired:
        return False


class ComposeServer(Server):
    """One service of docker-compose.yml, in a project of this checkout's own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ports = state_of(name) / "docker-ports.json"

    def install(self) -> None:
        self.compose("pull", "-q", "--policy", "missing", self.name)

    def up(self, brokers: int | None) -> bool:
        if self.status().healthy:
            return False
        if not self.running():
            ports_for([self.name], self.ports)
        self.compose("up", "-d", "--wait", "--wait-timeout", str(START_SECONDS), self.name)
        return True

    def down(self) -> bool:
        ran = self.running()
        self.compose("rm", "-f", "-s", self.name)
        return ran

    def wipe(self) -> None:
        run(["docker", "volume", "rm", "-f", f"{LABEL}_{self.name}"])

    def status(self) -> Status:
        if not self.running():
            return Status(self.name, False, False, by="docker")
        healthy = "healthy" in self.compose("ps", "--format", "{{.Health}}", self.name).split()
        return Status(
            self.name, True, healthy, self.address(), by="docker", note=f"docker compose project {LABEL}"
        )

    def environment(self) -> dict[str, str]:
        key, value = VARIABLES[self.name]
        return {key: value.format(address=self.address())}

    def running(self) -> bool:
        """Whether its container runs."""
        return bool(self.compose("ps", "-q", "--status", "running", self.name).strip())

    def address(self) -> str:
        """Where it is published."""
        return f"{LOOPBACK}:{self.port()}"

    def port(self) -> int:
        """The remembered port; compose publishes no other."""
        return int(read_json(self.ports).get(self.name, 0))

    def compose(self, *arguments: str) -> str:
        """Run one command of docker compose, with the ports of this checkout."""
        environment = {**os.environ, f"{self.name.upper()}_PORT": str(self.port() or "")}
        return run(["docker", "compose", "-p", LABEL, *arguments], environment=environment, cwd=CHECKOUT)
