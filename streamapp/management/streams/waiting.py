"""Waiting for workers after a rewind, while whoever sits in front of it sees how far they are."""

import sys
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import Error as DatabaseError

from streamapp.models import Rewind
from streamapp.services import rewind
from streamapp.services.caught_up import Catch, Goal
from streamapp.services.progress import Progress
from streamapp.store.connections import close_old_connections

POLL_SECONDS = 0.2
LOOK_SECONDS = 1.0
Look = TypeVar("Look")
BAR = 30


def until_applied(row: Rewind, seconds: float) -> Progress:
    """Wait until workers read from the new positions, at most so long; ends at once where there is none."""
    deadline = time.monotonic() + seconds
    while (progress := _asked(lambda: rewind.progress(row), deadline)).under_way and _is_left(deadline):
        _draw(progress)
        time.sleep(POLL_SECONDS)
    _draw(progress, "\n")
    return progress


def until_caught_up(row: Rewind, goal: Goal, seconds: float) -> Catch:
    """Wait until the moved shards have reached the goal, at most so long; ends where no worker is left.

    Each change is a line on the standard error. Ctrl-C ends the waiting, not the rewind.
    """
    deadline = time.monotonic() + seconds
    told = ""
    try:
        while (catch := _asked(lambda: goal.look(row), deadline)).under_way and _is_left(deadline):
            told = _tell(catch, told)
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        catch = goal.look(row)
    _tell(catch, told)
    return catch


def _asked(look: Callable[[], Look], deadline: float) -> Look:
    """Look again, up to the deadline, while the database doesn't answer: the rewind is stored."""
    while True:
        try:
            return look()
        except DatabaseError as error:
            if not _is_left(deadline):
                raise
            sys.stderr.write(f"Waiting for the database: {str(error).strip()}\n")
            close_old_connections()
            time.sleep(LOOK_SECONDS)


def _is_left(deadline: float) -> bool:
    return time.monotonic() < deadline


def _tell(catch: Catch, told: str) -> str:
    if str(catch) != told:
        sys.stderr.write(f"{catch}\n")
        sys.stderr.flush()
    return str(catch)


def _draw(progress: Progress, end: str = "") -> None:
    """Show a bar to whoever sits in front of it."""
    if sys.stderr.isatty() and progress.total:
        full = BAR * (progress.total - progress.waiting) // progress.total
        sys.stderr.write(f"\r[{'#' * full}{'.' * (BAR - full)}] {progress}{end}")
        sys.stderr.flush()
