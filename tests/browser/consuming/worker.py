"""A real consumer process, and what its handlers were given."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.db import connection

from tests.processes.conftest import ROOT, await_true


class WorkerProcess:
    """`runconsumers`, started and stopped as often as a test likes; all starts write into one log."""

    def __init__(self, directory: Path, streamapp: dict[str, Any]) -> None:
        self._log = directory / "calls.jsonl"
        self._log.touch()
        self._gate = directory / "closed"
        self.output = directory / "output.log"
        self._streamapp = streamapp
        self._process: subprocess.Popen[bytes] | None = None
        self._read = 0

    def start(self) -> None:
        stage = {"database": {"NAME": connection.settings_dict["NAME"]}, "streamapp": self._streamapp}
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.processes.settings",
            "STREAMAPP_STAGE": json.dumps(stage, default=str),
            "STREAMAPP_STAGE_LOG": str(self._log),
            "STREAMAPP_STAGE_GATE": str(self._gate),
        }
        command = [sys.executable, "-m", "django", "runconsumers"]
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)

    @property
    def number(self) -> int:
        """The id of the process that runs."""
        assert self._process is not None
        return self._process.pid

    def stop(self) -> None:
        """Stop it as a deployment does, and see that it ended well."""
        self.open_gate()
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            assert self._process.wait(30) == 0
        self._process = None

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def close_gate(self) -> None:
        """Let no call end."""
        self._gate.touch()

    def open_gate(self) -> None:
        self._gate.unlink(missing_ok=True)

    def forget(self) -> None:
        """Look only at calls that begin from now on."""
        self._read = self._log.stat().st_size

    def await_line(self, sentence: str) -> None:
        """Wait until the process has logged this."""
        await_true(lambda: sentence in self.output.read_text(), f"the line {sentence!r}")

    def given(self, stream: str) -> dict[str, list[str]]:
        """Return the values that handlers were given, by shard, in the order of the calls."""
        found: dict[str, list[str]] = {}
        with self._log.open("rb") as log:
            log.seek(self._read)
            whole = log.read().rpartition(b"\n")[0]  # the last line may be being written
        for call in map(json.loads, whole.splitlines()):
            if call["stream"] == stream:
                found.setdefault(call["shard"], []).append(call["value"])
        return found
