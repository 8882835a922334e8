"""A scratch database beside the one that DATABASE_URL names, with streamapp's tables."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
from psycopg.sql import SQL, Identifier


@contextmanager
def scratch_database(name: str) -> Iterator[str]:
    """Create a database, migrate it and make DATABASE_URL name it; drop it afterwards. Yields the version."""
    given = os.environ["DATABASE_URL"]
    with psycopg.connect(given, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        try:
            os.environ["DATABASE_URL"] = urlsplit(given)._replace(path=f"/{name}").geturl()
            _migrate()
            yield connection.execute("SHOW server_version").fetchone()[0].split()[0]  # type: ignore[index]
        finally:
            os.environ["DATABASE_URL"] = given
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def _migrate() -> None:
    subprocess.run(
        [sys.executable, "-m", "django", "migrate", "--verbosity=0"],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "benchmarks.settings"},
        check=True,
    )
