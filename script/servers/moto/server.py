"""moto's server on this machine, in a virtual environment of its own: the app doesn't need what it needs."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from servers.endpoint import EndpointServer
from servers.packages import run
from servers.places import INSTALLED
from servers.ports import LOOPBACK

REQUIREMENTS = Path(__file__).resolve().parent / "requirements.txt"


class MotoServer(EndpointServer):
    """moto: fast enough for volume. It must never see a split or a merge, it gets them wrong."""

    name = "moto"
    variable = "MOTO_ENDPOINT_URL"

    def install(self) -> None:
        if (environment() / "complete").exists():
            return
        run([sys.executable, "-m", "venv", "--clear", str(environment())])
        pip = [str(environment() / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        run([*pip, "-r", str(REQUIREMENTS)])
        (environment() / "complete").touch()

    def command(self, ports: dict[str, int]) -> list[str]:
        # -X takes any option and keeps it to itself: that is how the process is known as ours.
        python = [str(environment() / "bin/python"), "-X", f"state={self.mark()}"]
        return [*python, "-m", "moto.server", "-H", LOOPBACK, "-p", str(ports["plain"])]


def environment() -> Path:
    """Where it is installed; other requirements have another directory."""
    version = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:8]
    return INSTALLED / "moto" / f"venv-{version}"
