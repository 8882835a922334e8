"""A server that is one process with one HTTP endpoint on loopback."""

from __future__ import annotations

import os
import shutil
import urllib.error
import urllib.request
from abc import abstractmethod
from pathlib import Path

from servers.base import Server, Status
from servers.places import read_json, state_of
from servers.ports import LOOPBACK, ports_for
from servers.processes import Daemon

START_SECONDS, STOP_SECONDS = 60, 10


class EndpointServer(Server):
    """What such servers share; `ports` names the ports it listens on, the endpoint first."""

    variable: str
    ports: tuple[str, ...] = ("plain",)

    def __init__(self) -> None:
        self.state = state_of(self.name)
        self.daemon = Daemon(self.state, self.mark())

    @abstractmethod
    def command(self, ports: dict[str, int]) -> list[str]:
        """The command line; `mark` stands on it."""

    def settings(self, ports: dict[str, int]) -> dict[str, str]:
        """Its environment."""
        return dict(os.environ)

    def up(self, brokers: int | None) -> bool:
        if self.status().healthy:
            return False
        if self.daemon.pid() is None:
            ports = ports_for(self.ports, self.state / "ports.json")
            self.daemon.start(self.command(ports), self.state, env=self.settings(ports))
        self.daemon.wait_until(self.answers, START_SECONDS, self.name)
        return True

    def down(self) -> bool:
        return self.daemon.stop(STOP_SECONDS)

    def wipe(self) -> None:
        shutil.rmtree(self.mark(), ignore_errors=True)

    def status(self) -> Status:
        pid = self.daemon.pid()
        if pid is None:
            return Status(self.name, False, False)
        return Status(self.name, True, self.answers(), self.address(), [pid], log=str(self.daemon.log))

    def environment(self) -> dict[str, str]:
        return {self.variable: self.address()}

    def mark(self) -> Path:
        """The path on the command line by which the process is known as ours."""
        return self.state / "data"

    def address(self) -> str:
        """Where it answers."""
        return f"http://{LOOPBACK}:{read_json(self.state / 'ports.json').get(self.ports[0], 0)}"

    def answers(self) -> bool:
        """Whether anything comes back over HTTP, also a refusal."""
        try:
            with urllib.request.urlopen(self.address(), timeout=3):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
