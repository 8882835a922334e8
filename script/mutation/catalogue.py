"""All guards, in the order of docs/reliability.md."""

from mutation import (
    catalogue_brokers,
    catalogue_celery,
    catalogue_controls,
    catalogue_desk,
    catalogue_dry_runs,
    catalogue_exactly_once,
    catalogue_handling,
    catalogue_ladder,
    catalogue_lanes,
    catalogue_moves,
    catalogue_rewinds,
    catalogue_rows,
    catalogue_set_aside,
    catalogue_settling,
    catalogue_workers,
)

GUARDS = (
    *catalogue_settling.GUARDS,
    *catalogue_handling.GUARDS,
    *catalogue_ladder.GUARDS,
    *catalogue_set_aside.GUARDS,
    *catalogue_celery.GUARDS,
    *catalogue_dry_runs.GUARDS,
    *catalogue_lanes.GUARDS,
    *catalogue_rows.GUARDS,
    *catalogue_workers.GUARDS,
    *catalogue_moves.GUARDS,
    *catalogue_rewinds.GUARDS,
    *catalogue_controls.GUARDS,
    *catalogue_exactly_once.GUARDS,
    *catalogue_brokers.GUARDS,
    *catalogue_desk.GUARDS,
)
