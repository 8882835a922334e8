"""RabbitMQ on this machine: a broker of Celery in the tests, of one node, on loopback."""

from __future__ import annotations

import os
import socket

from servers.endpoint import STOP_SECONDS, EndpointServer
from servers.places import read_json
from servers.ports import LOOPBACK
from servers.processes import Daemon
from servers.rabbitmq.unpacked import ERLANG, ROOT, epmd, scripts, unpack

LOOPBACK_ONLY = "-noinput -kernel inet_dist_use_interface {127,0,0,1}"


class RabbitServer(EndpointServer):
    """One node with a directory of nodes of its own, so that it meets no other on this machine."""

    name = "rabbitmq"
    variable = "RABBITMQ_URL"
    ports = ("plain", "nodes", "directory")

    def __init__(self) -> None:
        super().__init__()
        self.directory = Daemon(self.state / "directory", ROOT)

    def install(self) -> None:
        unpack()

    def command(self, ports: dict[str, int]) -> list[str]:
        self._start_directory(ports["directory"])
        # Erlang leaves alone what stands behind "-extra"; this is how the process is known as ours.
        return [str(scripts() / "rabbitmq-server"), "-extra", str(self.mark())]

    def settings(self, ports: dict[str, int]) -> dict[str, str]:
        data = str(self.mark())
        return {
            **os.environ,
            "PATH": f"{ERLANG / 'bin'}:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": ":".join(map(str, ROOT.glob("usr/lib/*-linux-*"))),
            # Nodes know each other by the cookie there.
            "HOME": data,
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "ERL_EPMD_PORT": str(ports["directory"]),
            # Its shell script then becomes the server instead of watching it.
            "RABBITMQ_ALLOW_INPUT": "1",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": LOOPBACK_ONLY,
            "RABBITMQ_NODENAME": "streamapp@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
            "RABBITMQ_NODE_PORT": str(ports["plain"]),
            "RABBITMQ_DIST_PORT": str(ports["nodes"]),
            "RABBITMQ_MNESIA_BASE": data,
            "RABBITMQ_LOG_BASE": data,
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": f"{data}/pid",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{data}/plugins",
            "RABBITMQ_CONFIG_FILE": f"{data}/rabbitmq",
            "RABBITMQ_CONF_ENV_FILE": os.devnull,
        }

    def down(self) -> bool:
        stopped = super().down()
        self.directory.stop(STOP_SECONDS)
        return stopped

    def address(self) -> str:
        return f"amqp://guest:guest@{LOOPBACK}:{self._port()}//"

    def answers(self) -> bool:
        """Whether it speaks: an unknown protocol is answered with the one that it wants."""
        try:
            with socket.create_connection((LOOPBACK, self._port()), timeout=3) as connection:
                connection.sendall(b"AMQP\x00\x00\x00\x00")
                return connection.recv(4) == b"AMQP"
        except OSError:
            return False

    def _start_directory(self, port: int) -> None:
        for place in (self.mark(), self.state / "directory"):
            place.mkdir(exist_ok=True)
        if self.directory.pid() is None:
            command = [str(epmd()), "-address", LOOPBACK, "-port", str(port)]
            self.directory.start(command, self.state)

    def _port(self) -> int:
        return int(read_json(self.state / "ports.json").get("plain", 0))
