"""Running tests in a copy: with SQLite and the local broker, or with the servers that they need."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mutation.scratch import CHECKOUT

ADDRESSES = {
    "postgres": "DATABASE_URL",
    "kafka": "KAFKA_BOOTSTRAP_SERVERS",
    "kinesis": "KINESIS_ENDPOINT_URL",
    "redis": "REDIS_URL",
    "rabbitmq": "RABBITMQ_URL",
}
TIMEOUT_SECONDS = 60
LONGEST_SECONDS = 600
ENDED = re.compile(r"^(PASSED|FAILED|ERROR) tests/(\S+)", re.MULTILINE)


class Ended(NamedTuple):
    """How a run ended: what pytest returned, and how each test came out. A run that hangs returns None."""

    code: int | None
    outcomes: Mapping[str, str]
    output: str


def is_up(needs: str) -> bool:
    """Tell whether the servers that tests need have addresses."""
    return all(ADDRESSES[server] in _addresses() for server in needs.split())


def run(directory: Path, tests: Sequence[str], needs: str, *options: str) -> Ended:
    """Run tests in a copy of the checkout."""
    python = CHECKOUT / ".venv" / "bin" / "python"
    command = [str(python if python.exists() else sys.executable), "-m", "pytest", "-q", "-rA", "--tb=short"]
    command += ["-p", "no:cacheprovider", "--timeout", str(TIMEOUT_SECONDS), *options]
    command += [] if needs else ["-m", "not live"]
    return _ended(
        subprocess.Popen(
            [*command, *(f"tests/{test}" for test in tests)],
            cwd=directory,
            env=_environment(directory, needs),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
    )


def _ended(process: subprocess.Popen[str]) -> Ended:
    try:
        output, _ = process.communicate(timeout=LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Ended(None, {}, output)
    outcomes = {test: outcome for outcome, test in ENDED.findall(output)}
    return Ended(process.returncode, outcomes, output)


def _environment(directory: Path, needs: str) -> dict[str, str]:
    """Name the copy before whatever is installed, and no server but those that are needed."""
    inherited = {name: value for name, value in os.environ.items() if name not in ADDRESSES.values()}
    given = {"PYTHONPATH": str(directory), "PYTHONDONTWRITEBYTECODE": "1"}
    for server in needs.split():
        given[ADDRESSES[server]] = _addresses()[ADDRESSES[server]]
    if "postgres" not in needs:
        given["STREAMAPP_TEST_DATABASE"] = "sqlite"
    return {**inherited, **given}


def _addresses() -> dict[str, str]:
    """Return what script/services has written, and over it what the environment says."""
    written = CHECKOUT / ".services" / "env"
    lines = written.read_text().splitlines() if written.is_file() else []
    named = dict(line.split("=", 1) for line in lines if "=" in line)
    return named | {name: os.environ[name] for name in ADDRESSES.values() if name in os.environ}
