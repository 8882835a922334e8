"""Whether the database has the tables that a worker needs."""

from django.db import connections
from django.db.migrations.executor import MigrationExecutor


def unapplied_migrations(using: str) -> list[str]:
    """Return the migrations of the app that the database doesn't have; raises django.db.Error."""
    executor = MigrationExecutor(connections[using])
    targets = [node for node in executor.loader.graph.leaf_nodes() if node[0] == "streamapp"]
    return [str(migration) for migration, _ in executor.migration_plan(targets)]
