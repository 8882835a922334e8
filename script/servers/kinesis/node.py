"""Node, and the emulators from npm: installed once, until the lock file changes."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from servers.failure import ServiceError
from servers.packages import install_packages, run
from servers.places import INSTALLED

OLDEST_NODE = 18
HERE = Path(__file__).resolve().parent
LOCK = HERE / "package-lock.json"
LOOPBACK_ONLY = HERE / "loopback.js"
CLOCK = HERE / "clock.js"


def install_emulators() -> None:
    """Node, and the packages of the lock file; no script of theirs is run."""
    if (directory() / "complete").exists():
        return
    missing = [name for command, name in (("node", "nodejs"), ("npm", "npm")) if not shutil.which(command)]
    if missing:
        install_packages("What runs Kinesis (Node, npm)", missing)
    check_node()
    directory().mkdir(parents=True, exist_ok=True)
    for file in (HERE / "package.json", LOCK):
        shutil.copy(file, directory())
    run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=directory())
    (directory() / "complete").touch()


def directory() -> Path:
    """Where they are; another lock file has another directory."""
    version = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:8]
    return INSTALLED / "kinesis" / f"npm-{version}"


def check_node() -> None:
    """Refuse a Node that the emulators cannot run on."""
    version = run(["node", "--version"]).strip()
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        raise ServiceError(f"Node is {version}, and Kinesis needs {OLDEST_NODE} or later (Debian: nodejs).")


def node(script: str, *arguments: str, preload: tuple[Path, ...] = ()) -> list[str]:
    """The command that runs a script of one of the packages, on loopback."""
    required = [f"--require={path}" for path in (LOOPBACK_ONLY, *preload)]
    return ["node", *required, str(directory() / "node_modules" / script), *arguments]
