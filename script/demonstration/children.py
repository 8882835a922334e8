"""The processes that a demonstration starts, and their certain end."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from demonstration.stopping import Failed, Stop
from streamapp.management.running.processes import PARENT_PIPE

STOP_SECONDS = 30


class Child:
    """One process in a session of its own: a Ctrl-C at the terminal reaches it through us only."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name = name
        self.process = process
        self.log = log

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """Tell whether it has not ended."""
        return self.process.poll() is None

    def ask(self) -> None:
        """Ask it to stop, and don't wait."""
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, without a chance to save anything."""
        self.process.kill()
        self.process.wait()

    def join(self) -> int:
        """Wait for its end and return the exit code; after 30 seconds it is killed."""
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.returncode

    def ended(self) -> Failed:
        """Say how it ended, with the end of its log."""
        lines = self.log.read_text(errors="replace").splitlines()[-15:]
        code = self.process.returncode
        return Failed("\n".join([f"{self.name} ended with code {code}. The end of {self.log}:", *lines]))


class Children:
    """Starts processes; leaving the `with` block stops those that still run.

    They also end when we are killed: each reads a pipe whose other end is ours.
    """

    def __init__(self, logs: Path, environment: dict[str, str]) -> None:
        self._logs = logs
        self._environment = {**os.environ, **environment}
        self._children: list[Child] = []

    def __enter__(self) -> "Children":
        self._reading, self._writing = os.pipe()
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.ask()
        for child in self._children:
            child.join()
        os.close(self._reading)
        os.close(self._writing)

    def manage(self, name: str, *arguments: str, **environment: str) -> Child:
        """Start a command of `manage.py`, logging to a file called like it."""
        return self.start(name, [sys.executable, "-m", "demonstration.child", *arguments], environment)

    def start(self, name: str, command: list[str], environment: dict[str, str] | None = None) -> Child:
        """Start any command."""
        log = self._logs / f"{name}.log"
        variables = {**self._environment, **(environment or {}), PARENT_PIPE: str(self._reading)}
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[self._reading],
                start_new_session=True,
            )
        self._children.append(Child(name, process, log))
        return self._children[-1]

    def run(self, name: str, command: list[str], stop: Stop) -> None:
        """Run a command to its end. Raises Failed unless it succeeds, and Stopped."""
        child = self.start(name, command)
        while child.is_running:
            stop.pause()
        if child.process.returncode:
            raise child.ended()

    def watch(self, stop: Stop) -> NoReturn:
        """Wait until we are asked to stop and raise Stopped, or Failed when one of them ends before."""
        while all(child.is_running for child in self._children):
            stop.pause()
        raise next(child.ended() for child in self._children if not child.is_running)
