"""Processes that outlive the command: started apart, known by pid and command line, stopped for sure."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from servers.failure import ServiceError
from servers.places import replace_text


class Daemon:
    """A process of ours. `mark` is a path of this checkout's state that stands on its command line."""

    def __init__(self, directory: Path, mark: Path) -> None:
        self.pid_file = directory / "pid"
        self.log = directory / "log"
        self.mark = str(mark)

    def start(self, command: list[str], directory: Path, **options: Any) -> None:
        """Start it in a session of its own: a Ctrl-C at the terminal is not for it."""
        if self.log.exists():
            self.log.replace(self.log.with_name("log.before"))
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **options,
            )
        replace_text(self.pid_file, f"{process.pid}\n")

    def pid(self) -> int | None:
        """Its pid while it lives. A pid that went to another process is not ours."""
        try:
            pid = int(self.pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return None
        return pid if self.mark in command_line(pid) else None

    def wait_until(self, answers: Callable[[], bool], seconds: float, what: str) -> None:
        """Return when it answers; fail at once when it has died, and at the end of the time."""
        end = time.monotonic() + seconds
        while not answers():
            if self.pid() is None:
                raise ServiceError(f"{what} ended while it started.\n{self.tail()}")
            if time.monotonic() > end:
                raise ServiceError(f"{what} did not answer within {seconds:.0f} seconds.\n{self.tail()}")
            time.sleep(0.1)

    def ask(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ask it to stop, and don't wait."""
        if (pid := self.pid()) is not None:
            self._signal(pid, number)

    def stop(self, seconds: float, first: signal.Signals = signal.SIGTERM) -> bool:
        """Ask it to stop, and kill it when it has not by then. False when it did not run."""
        pid = self.pid()
        if pid is None:
            self.pid_file.unlink(missing_ok=True)
            return False
        self._signal(pid, first)
        if not self._gone_within(seconds):
            self._signal(pid, signal.SIGKILL)
            if not self._gone_within(10):
                raise ServiceError(f"Process {pid} does not end, not even by SIGKILL. Its log is {self.log}.")
        self.pid_file.unlink(missing_ok=True)
        return True

    def tail(self, lines: int = 25) -> str:
        """The end of its log, for an error message."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return f"The end of {self.log}:\n" + "\n".join(text.splitlines()[-lines:])

    def _signal(self, pid: int, number: signal.Signals) -> None:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return

    def _gone_within(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self.pid() is not None:
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True


def command_line(pid: int) -> str:
    """The command line of a living process, empty for one that is gone (or a zombie)."""
    if not Path("/proc/self/cmdline").exists():
        listing = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
        return subprocess.run(listing, capture_output=True, text=True, check=False).stdout
    for _ in range(5):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        if line:
            return line.replace(b"\0", b" ").decode(errors="replace")
        # For a moment of its start a process has no command line yet.
        time.sleep(0.02)
    return ""
