"""What has to be there before the first process: a database, its tables, streams, somebody to log in."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, connections

from demonstration.shipments import ShipmentsStream
from demonstration.stages import Stage
from demonstration.topics import Topics

OPERATOR = "demo"


def prepare(stage: Stage) -> None:
    """Make what is missing; what is there stays."""
    if stage.is_real:
        _create_database()
        Topics(stage.bootstrap_servers).create()
        ShipmentsStream().create()
    call_command("migrate", verbosity=0, interactive=False)


def make_operator() -> str:
    """Make the admin's user, or give it a new password; returns the password."""
    password = secrets.token_urlsafe(6)
    user, _ = get_user_model().objects.get_or_create(username=OPERATOR, is_staff=True, is_superuser=True)
    user.set_password(password)
    user.save()
    return password


@contextmanager
def scratch(stage: Stage) -> Iterator[None]:
    """Prepare, and delete the database and the streams at the end."""
    try:
        prepare(stage)
        yield
    finally:
        connections.close_all()
        if stage.is_real:
            _ask_server(f'DROP DATABASE IF EXISTS "{_name()}" WITH (FORCE)')
            Topics(stage.bootstrap_servers).delete()
            ShipmentsStream().delete()


def _create_database() -> None:
    try:
        _ask_server(f'CREATE DATABASE "{_name()}"')
    except psycopg.errors.DuplicateDatabase:
        return


def _name() -> str:
    return str(connection.settings_dict["NAME"])


def _ask_server(statement: str) -> None:
    """Run a statement in the database that every server has."""
    of_server = {**connection.get_connection_params(), "dbname": "postgres"}
    with psycopg.connect(**of_server, autocommit=True) as server:
        server.execute(statement)
