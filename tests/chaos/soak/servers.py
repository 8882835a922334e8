"""Servers of a soak's own, since it restarts them: `script/services` with a state directory each."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
STOP_SECONDS = 60.0


class OwnServer:
    """One kind of server, started for the soak and gone without a trace afterwards."""

    def __init__(self, directory: Path, name: str, *options: str) -> None:
        self.name = name
        self._state = directory / name
        self._options = options
        self._starting: subprocess.Popen[bytes] | None = None

    def up(self) -> None:
        """Start what doesn't run of it, and wait until it answers."""
        self._finish_starting()
        self._run("up", self.name, *self._options).check_returncode()

    def up_soon(self) -> None:
        """Start what doesn't run of it, without waiting."""
        self._starting = subprocess.Popen(
            self._command("up", self.name, *self._options),
            env=self._environment(),
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def is_starting(self) -> bool:
        """Tell whether the last start hasn't come to its end."""
        return self._starting is not None and self._starting.poll() is None

    def wipe(self) -> None:
        """Stop it and delete its data."""
        self._finish_starting()
        self._run("down", self.name, "--wipe")

    def address(self) -> str:
        """Return the first address that `script/services` has written down."""
        return (self._state / "env").read_text().splitlines()[0].partition("=")[2]

    def processes(self) -> list[int]:
        """Return the process ids of its nodes that were started last."""
        return [int(path.read_text()) for path in sorted(self._state.rglob("pid"))]

    def strike(self, node: int, number: signal.Signals) -> int:
        """Send a signal to one of its nodes; returns its process id."""
        process = self.processes()[node]
        os.kill(process, number)
        return process

    def restart(self, number: signal.Signals) -> None:
        """End its only node by a signal, and start it once the old process is gone."""
        process = self.strike(0, number)
        deadline = time.monotonic() + STOP_SECONDS
        while self.lives(process) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.up()

    def lives(self, process: int) -> bool:
        """Tell whether a node's process hasn't ended."""
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        return True

    def _finish_starting(self) -> None:
        if self._starting:
            self._starting.wait()

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            self._command(*arguments), env=self._environment(), check=False, stdout=subprocess.DEVNULL
        )

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, str(ROOT / "script" / "services"), *arguments]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "STREAMAPP_SERVICES_STATE": str(self._state), "STREAMAPP_DOCKER": "no"}
