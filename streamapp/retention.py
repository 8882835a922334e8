"""How long rows are kept that only grow: the entries of `STREAMAPP["RETENTION"]` with their defaults."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from streamapp.problems import Code, Findings, nearest


@dataclass(frozen=True, slots=True)
class Keep:
    """What of a table is kept: rows of the last `days`, and of those the newest `rows`; None: no bound.

    Rows are counted a subscription, of what belongs to shards a shard.
    """

    days: float | None
    rows: int | None


DEFAULTS: Mapping[str, Keep] = {
    "DEAD_LETTERS": Keep(365, 1_000_000),
    "QUARANTINE": Keep(365, 1_000_000),
    "DRY_RUNS": Keep(30, 10_000),
    "SKIPS": Keep(365, 10_000),
    "SKIPPED_RECORDS": Keep(365, 10_000),
}
BOUNDS = ("DAYS", "ROWS")
HINT = 'Write it like {"DEAD_LETTERS": {"DAYS": 365, "ROWS": 1_000_000}}; None means no bound.'


def retention(given: Mapping[str, Any]) -> dict[str, Keep]:
    """Return what is kept of every table, where `given` is a sound value of RETENTION."""
    return {table: _replaced(keep, given.get(table, {})) for table, keep in DEFAULTS.items()}


def report_retention(given: Mapping[str, Any], findings: Findings) -> None:
    """Report what is wrong with a value of RETENTION."""
    for table, bounds in given.items():
        if table not in DEFAULTS:
            what = f"RETENTION has {table!r}, which is no table."
            findings.report(Code.BAD_RETENTION, what, nearest(table, DEFAULTS))
        elif not isinstance(bounds, Mapping):
            findings.report(Code.BAD_RETENTION, f"RETENTION of {table} is {bounds!r}.", HINT)
        else:
            _report_bounds(table, bounds, findings)


def _report_bounds(table: str, bounds: Mapping[str, Any], findings: Findings) -> None:
    for name, value in bounds.items():
        if name not in BOUNDS:
            what = f"RETENTION of {table} has {name!r}."
            findings.report(Code.BAD_RETENTION, what, nearest(name, BOUNDS))
        elif not _is_bound(name, value):
            findings.report(Code.BAD_RETENTION, f"RETENTION of {table} has {name} {value!r}.", HINT)


def _is_bound(name: str, value: object) -> bool:
    kinds = int | float if name == "DAYS" else int
    return value is None or (
        isinstance(value, kinds) and not isinstance(value, bool) and 0 < value < math.inf
    )


def _replaced(keep: Keep, bounds: Mapping[str, Any]) -> Keep:
    return replace(keep, **{name.lower(): value for name, value in bounds.items()})
