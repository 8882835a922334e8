"""Debian packages: installed when we may, named when we may not."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

from servers.failure import ServiceError


def install_packages(what: str, packages: list[str]) -> None:
    """Install them by apt-get, or say which to install."""
    named = " ".join(packages)
    if shutil.which("apt-get") is None:
        raise ServiceError(
            f"{what} is missing. Install it with this system's package manager (Debian calls it: {named})."
        )
    if os.geteuid() != 0:
        raise ServiceError(
            f"{what} is missing. Install it: sudo apt-get update && sudo apt-get install -y {named}"
        )
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "-q", "update"],
        ["apt-get", "-q", "install", "-y", "--no-install-recommends", *packages],
    ):
        print("+ " + " ".join(command), flush=True)
        run(command, environment=quiet)


def run(
    command: list[str], statements: str = "", environment: dict[str, str] | None = None, **options: Any
) -> str:
    """Run a command to its end; its output is in the error when it fails."""
    finished = subprocess.run(
        command,
        env=environment,
        input=statements,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    if finished.returncode != 0:
        raise ServiceError(
            f"{' '.join(command)[:500]} failed ({finished.returncode}):\n{finished.stdout[-4000:]}"
        )
    return str(finished.stdout)
