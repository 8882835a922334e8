"""The servers of `script/services`, for as long as a demonstration needs them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demonstration.children import Children
from demonstration.stopping import Stop, say

CHECKOUT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, str(CHECKOUT / "script" / "services")]
SERVERS = ("kafka", "kinesis", "postgres")


@contextmanager
def services(logs: Path, stop: Stop) -> Iterator[dict[str, str]]:
    """Yield the addresses of the servers, as variables; what it started is stopped at the end."""
    down = [name for name in SERVERS if _run("status", name) != 0]
    try:
        if down:
            say(f"Starting {', '.join(down)} ...")
            with Children(logs, {}) as children:
                children.run("services", [*COMMAND, "up", *down], stop)
        yield _addresses()
    finally:
        if started := [name for name in down if not _was_up(logs / "services.log", name)]:
            say(f"Stopping {', '.join(started)} ...")
            _run("down", *started)


def _run(*arguments: str) -> int:
    # Apart from our session, so that a Ctrl-C at the terminal doesn't end it halfway.
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, check=False, start_new_session=True
    ).returncode


def _was_up(log: Path, server: str) -> bool:
    """Tell whether somebody else started a server before we could."""
    return f"{server}: already up" in log.read_text()


def _addresses() -> dict[str, str]:
    written = Path(os.environ.get("STREAMAPP_SERVICES_STATE") or CHECKOUT / ".services") / "env"
    return dict(line.split("=", 1) for line in written.read_text().splitlines())
