"""What `rewind` and `undo` have in common: show a plan, apply it, wait for the workers."""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from streamapp.management.streams.review import review
from streamapp.management.streams.subcommand import Exit, add_dry_run_or_execute
from streamapp.models import Rewind
from streamapp.services import rewind
from streamapp.services.plans import Plan
from streamapp.services.progress import Progress

POLL_SECONDS = 0.2
BAR = 30


def add_applying(parser: ArgumentParser) -> None:
    """Declare the arguments of both."""
    parser.add_argument("--reason", default="", help="Kept with the rewind, for whoever asks later.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")
    parser.add_argument(
        "--wait",
        type=float,
        metavar="SECONDS",
        help="Wait until workers read from there; exit 3 if too late, at once if no live worker runs it.",
    )
    add_dry_run_or_execute(parser)


def show_or_apply(plan: Plan, options: dict[str, Any], write: Callable[[str], object]) -> Exit:
    """Show the review, and write it with --execute."""
    if options["dry_run"]:
        write(json.dumps(_values(plan)) if options["json"] else review(plan))
        return Exit.DONE
    row = rewind.apply(plan, origin="command", reason=options["reason"])
    done = _wait(row, options["wait"] or 0)
    _report(plan, row, done, options, write)
    return Exit.DONE if done.done or options["wait"] is None else Exit.LATE


def _wait(row: Rewind, seconds: float) -> Progress:
    deadline = time.monotonic() + seconds
    while (progress := rewind.progress(row)).under_way and time.monotonic() < deadline:
        _draw(progress)
        time.sleep(POLL_SECONDS)
    _draw(progress)
    return progress


def _draw(progress: Progress) -> None:
    """Show a bar to whoever sits in front of it."""
    if sys.stderr.isatty() and progress.total:
        full = BAR * (progress.total - progress.waiting) // progress.total
        end = "\n" if not progress.under_way else ""
        sys.stderr.write(f"\r[{'#' * full}{'.' * (BAR - full)}] {progress}{end}")
        sys.stderr.flush()


def _report(
    plan: Plan, row: Rewind, done: Progress, options: dict[str, Any], write: Callable[[str], object]
) -> None:
    if options["json"]:
        counts = {"rewind": row.pk, "shards": done.total, "waiting": done.waiting, "gated": done.gated}
        write(json.dumps({**_values(plan), **counts}))
        return
    write(review(plan))
    write(f"Rewind {row.pk} is stored. {done}")
    if done.under_way and options["wait"] is None:
        write("Workers follow within a second or so. --wait SECONDS waits for them, next time.")
    write(f"To take it back: python manage.py streams undo {row.pk} --execute")


def _values(plan: Plan) -> dict[str, Any]:
    return {**plan.to_json(), "effect": plan.effect, "notes": plan.notes}
