"""Where things lie: the checkout, the state of the running servers, what is installed once."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
INSTALLED = CHECKOUT / ".services"
STATE = Path(os.environ.get("STREAMAPP_SERVICES_STATE") or INSTALLED).resolve()
LABEL = "streamapp-" + hashlib.sha256(str(STATE).encode()).hexdigest()[:8]


def state_of(server: str) -> Path:
    """The directory of one server, made when missing."""
    directory = STATE / server
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def read_json(path: Path) -> dict[str, Any]:
    """What was written there, or nothing."""
    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return content


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Replace the file in one step, so that a reader never sees half of it."""
    replace_text(path, json.dumps(content, indent=2) + "\n")


def replace_text(path: Path, text: str) -> None:
    """Replace the file in one step, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(text)
    beside.replace(path)
