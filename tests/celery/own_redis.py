"""A Redis of the test's own, which may be stopped and killed."""

import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest
import redis

from tests.celery.project import NUMBER, QUEUE
from tests.processes.conftest import await_true


class OwnRedis:
    """One server on a port that it keeps; what it keeps over a death depends on its options."""

    def __init__(self, directory: Path, *options: str) -> None:
        program = shutil.which("redis-server")
        if not program:
            pytest.skip("redis-server: not installed, and this test kills one of its own")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        where = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(directory)]
        self._command = [program, *where, *(options or ("--save", ""))]
        self.url = f"redis://127.0.0.1:{self.port}/{NUMBER}"
        self.client = redis.Redis(port=self.port, db=NUMBER, socket_timeout=5)
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        await_true(self._answers, "Redis")

    def kill(self) -> None:
        """End it as a crash does."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Let it hold its breath: it keeps its connections and says nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it breathe again."""
        self._process.send_signal(signal.SIGCONT)

    def queued(self) -> int:
        """Count the tasks that wait."""
        return int(self.client.llen(QUEUE))  # type: ignore[arg-type]

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except redis.ConnectionError:
            return False
