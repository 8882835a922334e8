"""PostgreSQL on this machine: a cluster of our own from the system's binaries, never run by root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from servers.base import Server, Status
from servers.failure import ServiceError
from servers.packages import install_packages, run
from servers.places import LABEL, read_json, replace_text, state_of
from servers.ports import LOOPBACK, ports_for
from servers.processes import Daemon

START_SECONDS, STOP_SECONDS = 60, 20
NAME = "streamapp"
SYSTEM_USER = "postgres"
INITDB = ["-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--auth=reject"]
STATEMENTS = (
    f"CREATE ROLE {NAME} LOGIN CREATEDB PASSWORD '{NAME}'\n"
    f"GRANT pg_monitor, pg_signal_backend TO {NAME}\n"
    f"CREATE DATABASE {NAME} OWNER {NAME}\n"
)


class PostgresServer(Server):
    """One database server with a role and a database of the app's name."""

    name = "postgres"

    def __init__(self) -> None:
        self.state = state_of(self.name)
        self.place = self.state / "place"

    def install(self) -> None:
        if binaries() is None:
            install_packages("PostgreSQL", ["postgresql"])

    def up(self, brokers: int | None) -> bool:
        if self.status().healthy:
            return False
        if self.daemon().pid() is None:
            self.start()
        self.daemon().wait_until(self.answers, START_SECONDS, "PostgreSQL")
        return True

    def start(self) -> None:
        """Create the cluster when it is new, and run it on a port of its own."""
        if not self.place.exists():
            replace_text(self.place, str(new_home(self.state)))
        if not (self.home() / "complete").exists():
            self.create()
        port = ports_for([self.name], self.state / "ports.json")[self.name]
        settings = {
            "listen_addresses": LOOPBACK,
            "port": port,
            "unix_socket_directories": "",
            "max_connections": 300,
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        self.daemon().start([program("postgres"), "-D", str(self.data()), *options], self.home(), **as_user())

    def create(self) -> None:
        """Make the data directory, the role and the database. No rule lets the superuser in."""
        shutil.rmtree(self.data(), ignore_errors=True)
        run([program("initdb"), "-D", str(self.data()), *INITDB], cwd=self.home(), **as_user())
        (self.data() / "pg_hba.conf").write_text(f"host all {NAME} {LOOPBACK}/32 scram-sha-256\n")
        single = [program("postgres"), "--single", "-D", str(self.data()), "postgres"]
        run(single, statements=STATEMENTS, cwd=self.home(), **as_user())
        (self.home() / "complete").touch()

    def down(self) -> bool:
        # SIGINT is PostgreSQL's fast shutdown; SIGTERM would wait for every client to leave.
        return self.daemon().stop(STOP_SECONDS, signal.SIGINT)

    def wipe(self) -> None:
        shutil.rmtree(self.home(), ignore_errors=True)
        self.place.unlink(missing_ok=True)

    def status(self) -> Status:
        pid = self.daemon().pid()
        if pid is None:
            return Status(self.name, False, False)
        return Status(
            self.name, True, self.answers(), f"{LOOPBACK}:{self.port()}", [pid], log=str(self.daemon().log)
        )

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": f"postgres://{NAME}:{NAME}@{LOOPBACK}:{self.port()}/{NAME}"}

    def answers(self) -> bool:
        """Whether a query comes back."""
        query = [program("psql"), "-X", "-A", "-t", "-c", "SELECT 1", self.environment()["DATABASE_URL"]]
        patience = {**os.environ, "PGCONNECT_TIMEOUT": "3"}
        finished = subprocess.run(query, capture_output=True, text=True, check=False, env=patience)
        return finished.stdout.strip() == "1"

    def port(self) -> int:
        """Where it listens."""
        return int(read_json(self.state / "ports.json").get(self.name, 0))

    def daemon(self) -> Daemon:
        """Its process."""
        return Daemon(self.state, self.data())

    def home(self) -> Path:
        """The directory that belongs to PostgreSQL's user."""
        return Path(self.place.read_text()) if self.place.exists() else self.state / "cluster"

    def data(self) -> Path:
        """The data directory; it stands on the server's command line."""
        return self.home() / "data"


def new_home(state: Path) -> Path:
    """A directory for PostgreSQL's user: with the state, or elsewhere when that user may not enter there."""
    if may_enter(state):
        home = state / "cluster"
        home.mkdir(exist_ok=True)
    else:
        home = Path(tempfile.mkdtemp(prefix=f"{LABEL}-", dir="/var/tmp"))
    if os.geteuid() == 0:
        shutil.chown(home, SYSTEM_USER, SYSTEM_USER)
    return home


def binaries() -> Path | None:
    """The directory of the server's programs: Debian keeps them off the PATH, one directory a version."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def program(name: str) -> str:
    """The path of one of PostgreSQL's programs."""
    directory = binaries()
    if directory is None:
        raise ServiceError("PostgreSQL is not installed: run script/services install postgres.")
    return str(directory / name)


def as_user() -> dict[str, Any]:
    """How to run as PostgreSQL's own user; it refuses to run as root."""
    return {"user": SYSTEM_USER, "group": SYSTEM_USER, "extra_groups": []} if os.geteuid() == 0 else {}


def may_enter(directory: Path) -> bool:
    """Whether PostgreSQL's user can reach this directory."""
    test = subprocess.run(["test", "-x", str(directory)], check=False, cwd="/", **as_user())
    return test.returncode == 0
