"""What a failure of the database means to whoever typed the command."""

from django.db import Error, connections
from django.db.migrations.executor import MigrationExecutor

from streamapp.conf import configuration


def explain(error: Error) -> str:
    """Say what happened and what to do next."""
    if _needs_migration():
        return "The tables of streamapp are missing or not up to date. Run `manage.py migrate` first."
    return f"The database refused or didn't answer: {str(error).strip()}"


def _needs_migration() -> bool:
    try:
        executor = MigrationExecutor(connections[configuration().DATABASE])
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes("streamapp")))
    except Error:
        return False
