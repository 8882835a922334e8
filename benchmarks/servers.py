"""The servers that a measurement needs: those that are down are started, and stopped again in the end."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SERVICES = [sys.executable, str(CHECKOUT / "script" / "services")]


@contextmanager
def servers(needed: Mapping[str, str]) -> Iterator[None]:
    """Set the variable of each server, unless it is set: given are names with their variables."""
    missing = [name for name, variable in needed.items() if variable not in os.environ]
    started = [name for name in missing if _services("status", name) != 0]
    try:
        if started and _services("up", *started) != 0:
            raise RuntimeError(f"script/services up {' '.join(started)} failed.")
        addresses = _addresses() if missing else {}
        os.environ.update({needed[name]: addresses[needed[name]] for name in missing})
        yield
    finally:
        if started:
            _services("down", *started)


def _services(*arguments: str) -> int:
    return subprocess.run([*SERVICES, *arguments], stdout=subprocess.DEVNULL, check=False).returncode


def _addresses() -> dict[str, str]:
    written = Path(os.environ.get("STREAMAPP_SERVICES_STATE") or CHECKOUT / ".services") / "env"
    return dict(line.split("=", 1) for line in written.read_text().splitlines())
