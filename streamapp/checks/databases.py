"""The check of the database that holds the checkpoints: its engine and options, without connecting."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from streamapp import conf
from streamapp.checks.messages import message
from streamapp.problems import Code, Findings

COMMAND = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
SAFE = f'{{"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": "{COMMAND}"}}'


def check_database(**_: Any) -> list[CheckMessage]:
    """Report an engine that isn't supported, and SQLite."""
    configuration, _problems = conf.read(getattr(settings, "STREAMAPP", {}))
    alias = configuration.DATABASE
    return list(messages_about(connections[alias])) if alias in connections else []


def messages_about(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    """Yield what speaks against keeping checkpoints in a database."""
    findings = Findings(f"Database {connection.alias!r}")
    if connection.vendor == "sqlite":
        _report_sqlite(connection.settings_dict.get("OPTIONS") or {}, findings)
    elif connection.vendor != "postgresql":
        what = (
            f"streamapp doesn't support {connection.display_name}: its fences are tested on PostgreSQL only."
        )
        hint = "Name a PostgreSQL database in STREAMAPP['DATABASE']; SQLite does for development."
        findings.report(Code.UNSUPPORTED_DATABASE, what, hint)
    yield from map(message, findings.problems)


def _report_sqlite(options: dict[str, Any], findings: Findings) -> None:
    what = "it is SQLite, where a long transaction of one process stops the heartbeats of all others."
    hint = 'Use PostgreSQL in production. In development, set SILENCED_SYSTEM_CHECKS = ["streamapp.W001"].'
    findings.report(Code.SQLITE, what, hint)
    if missing := [name for name, is_set in _precautions(options) if not is_set]:
        what = f"several processes will see 'database is locked', for it lacks: {', '.join(missing)}."
        findings.report(Code.SQLITE_OPTIONS, what, f"Set its OPTIONS to {SAFE}.")


def _precautions(options: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    command = str(options.get("init_command", "")).replace(" ", "").lower()
    yield (
        "transaction_mode IMMEDIATE",
        str(options.get("transaction_mode")).upper() in ("IMMEDIATE", "EXCLUSIVE"),
    )
    yield "a timeout of 20 s", options.get("timeout", 5) >= 20
    yield "journal_mode WAL", "journal_mode=wal" in command
