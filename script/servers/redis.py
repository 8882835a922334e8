"""Redis on this machine, from the system's package: the broker of Celery in the tests."""

from __future__ import annotations

import shutil
import socket

from servers.endpoint import EndpointServer
from servers.failure import ServiceError
from servers.packages import install_packages
from servers.places import read_json
from servers.ports import LOOPBACK


class RedisServer(EndpointServer):
    """One server without persistence."""

    name = "redis"
    variable = "REDIS_URL"

    def install(self) -> None:
        if shutil.which("redis-server") is None:
            install_packages("Redis", ["redis-server"])

    def command(self, ports: dict[str, int]) -> list[str]:
        program = shutil.which("redis-server")
        if program is None:
            raise ServiceError("Redis is not installed: run script/services install redis.")
        self.mark().mkdir(exist_ok=True)
        settings = {
            "bind": LOOPBACK,
            "port": str(ports["plain"]),
            "dir": str(self.mark()),
            "save": "",
            "appendonly": "no",
            # It would replace its command line, by which it is known as ours.
            "set-proc-title": "no",
        }
        return [program, *(part for key, value in settings.items() for part in (f"--{key}", value))]

    def address(self) -> str:
        return f"redis://{LOOPBACK}:{self._port()}/0"

    def answers(self) -> bool:
        """Whether it returns a ping."""
        try:
            with socket.create_connection((LOOPBACK, self._port()), timeout=3) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def _port(self) -> int:
        return int(read_json(self.state / "ports.json").get("plain", 0))
