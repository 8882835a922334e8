"""The worker processes of a soak: `manage.py runconsumers`, replaced when they die, as a supervisor would."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from tests.chaos.soak.servers import ROOT

GRACE_SECONDS = 40.0
FENCED = (b"Shard taken by another worker", b"Commit refused")
Process = subprocess.Popen  # type: ignore[type-arg]


class Crew:
    """So many workers at work, whatever befalls them."""

    def __init__(self, directory: Path, stage: dict[str, Any], size: int, random: Random) -> None:
        self._directory = directory
        self._stage = stage
        self._random = random
        self.size = size
        self.calm = False
        self.kills = 0
        self.died: list[str] = []
        """Which workers ended although nobody had asked them to, or had killed them."""
        self.silent: set[int] = set()
        """The ids of the processes that were killed or are stalled."""
        self._started = 0
        self._working: list[Process] = []
        self._stalled: list[Process] = []
        self._leaving: dict[Process, float] = {}

    def start(self) -> None:
        """Start one more worker."""
        self._started += 1
        stage = {**self._stage, "calm": self.calm}
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.chaos.soak.settings",
            "STREAMAPP_SOAK": json.dumps(stage),
        }
        with self._log(self._started).open("ab") as output:
            command = [sys.executable, "-m", "django", "runconsumers"]
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        self._working.append(process)

    def kill(self) -> None:
        """Kill a worker; `tend` starts another."""
        if process := self._take():
            self.silent.add(process.pid)
            process.kill()
            process.wait()
            self.kills += 1

    def stall(self) -> Process | None:
        """Stop a worker in whatever it does."""
        if process := self._take():
            self.silent.add(process.pid)
            process.send_signal(signal.SIGSTOP)
            self._stalled.append(process)
        return process

    def resume(self, process: Process) -> None:
        """Let a stalled worker go on as if nothing had happened."""
        self._stalled.remove(process)
        self.silent.remove(process.pid)
        process.send_signal(signal.SIGCONT)
        self._working.append(process)

    def stop(self) -> None:
        """Ask a worker to end; `tend` starts another."""
        if process := self._take():
            self._ask(process)

    def tend(self) -> None:
        """Replace what has ended, end what is too much or won't end."""
        for process in [process for process in self._working if process.poll() is not None]:
            self._working.remove(process)
            self.died.append(f"process {process.pid} with code {process.returncode}")
        for process, until in list(self._leaving.items()):
            self._see_off(process, until)
        while len(self._working) + len(self._stalled) < self.size:
            self.start()

    def stop_all(self) -> None:
        """Ask all to end and wait for them."""
        for process in list(self._stalled):
            self.resume(process)
        for process in self._working:
            self._ask(process)
        self._working.clear()
        while self._leaving:
            for process, until in list(self._leaving.items()):
                self._see_off(process, until)
            time.sleep(0.05)

    def close(self) -> None:
        """Kill what still runs."""
        for process in [*self._working, *self._stalled, *self._leaving]:
            process.kill()
            process.wait()

    def fenced(self) -> int:
        """Count the saves and commits that were refused, by what the workers have logged."""
        return sum(self.says(sentence) for sentence in FENCED)

    def says(self, sentence: bytes) -> int:
        """Count a sentence in all logs."""
        logs = (self._log(number) for number in range(1, self._started + 1))
        return sum(log.read_bytes().count(sentence) for log in logs)

    def _take(self) -> Process | None:
        if not self._working:
            return None
        return self._working.pop(self._random.randrange(len(self._working)))

    def _ask(self, process: Process) -> None:
        process.send_signal(signal.SIGTERM)
        self._leaving[process] = time.monotonic() + GRACE_SECONDS

    def _see_off(self, process: Process, until: float) -> None:
        if process.poll() is None and time.monotonic() > until:
            process.kill()
            process.wait()
            self.died.append(f"process {process.pid}, killed: it didn't end when it was asked to")
        if process.poll() is not None:
            del self._leaving[process]

    def _log(self, number: int) -> Path:
        return self._directory / f"worker-{number}.log"
