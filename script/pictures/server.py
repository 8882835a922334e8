"""The admin on loopback, for as long as the pictures take."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 30


@contextmanager
def serving(checkout: Path) -> Iterator[str]:
    """Start Django's own server on a free port, yield its address, and stop it."""
    address = f"127.0.0.1:{_free_port()}"
    command = [sys.executable, "manage.py", "runserver", "--noreload", "--insecure", address]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "script")}
    process = subprocess.Popen(
        command, cwd=checkout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(f"http://{address}/admin/login/")
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
