"""Waiting for workers after a rewind, while whoever sits in front of it sees how far they are."""

import sys
import time

from streamapp.models import Rewind
from streamapp.services import rewind
from streamapp.services.caught_up import Catch, Goal
from streamapp.services.progress import Progress

POLL_SECONDS = 0.2
LOOK_SECONDS = 1.0
BAR = 30


def until_applied(row: Rewind, seconds: float) -> Progress:
    """Wait until workers read from the new positions, at most so long; ends at once where there is none."""
    deadline = time.monotonic() + seconds
    while (progress := rewind.progress(row)).under_way and time.monotonic() < deadline:
        _draw(progress)
        time.sleep(POLL_SECONDS)
    _draw(progress)
    return progress


def until_caught_up(row: Rewind, goal: Goal, seconds: float) -> Catch:
    """Wait until the moved shards have reached the goal, at most so long; ends where no worker is left.

    Each change is a line on the standard error. Ctrl-C ends the waiting, not the rewind.
    """
    deadline = time.monotonic() + seconds
    told = ""
    try:
        while (catch := goal.look(row)).under_way and time.monotonic() < deadline:
            told = _tell(catch, told)
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        catch = goal.look(row)
    _tell(catch, told)
    return catch


def _tell(catch: Catch, told: str) -> str:
    if str(catch) != told:
        sys.stderr.write(f"{catch}\n")
        sys.stderr.flush()
    return str(catch)


def _draw(progress: Progress) -> None:
    """Show a bar to whoever sits in front of it."""
    if sys.stderr.isatty() and progress.total:
        full = BAR * (progress.total - progress.waiting) // progress.total
        end = "\n" if not progress.under_way else ""
        sys.stderr.write(f"\r[{'#' * full}{'.' * (BAR - full)}] {progress}{end}")
        sys.stderr.flush()
