"""What `rewind`, `undo` and `import` have in common: show a plan, apply it, wait for the workers."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.db import Error as DatabaseError

from streamapp.exceptions import StreamappError
from streamapp.management.streams.database import explain
from streamapp.management.streams.review import review
from streamapp.management.streams.subcommand import Exit, add_dry_run_or_execute
from streamapp.management.streams.waiting import until_applied, until_caught_up
from streamapp.models import Rewind
from streamapp.services import rewind
from streamapp.services.caught_up import Catch, Goal
from streamapp.services.firsts import Firsts, first_records, needs_a_look, observed
from streamapp.services.plans import Plan
from streamapp.services.progress import Progress

Write = Callable[[str], object]


def add_applying(parser: ArgumentParser) -> None:
    """Declare the arguments of all three."""
    parser.add_argument("--reason", default="", help="Kept with the rewind, for whoever asks later.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")
    parser.add_argument(
        "--wait",
        type=float,
        metavar="SECONDS",
        help="Wait until workers read from there; exit 3 if too late, at once if no live worker runs it.",
    )
    parser.add_argument(
        "--until-caught-up",
        type=float,
        nargs="?",
        const=math.inf,
        metavar="SECONDS",
        help="Wait until the moved shards have handled what was there at the rewind, without SECONDS as long "
        "as it takes; exit 3 if too late, at once if no live worker runs it.",
    )
    add_dry_run_or_execute(parser)


def add_clamp(parser: ArgumentParser) -> None:
    """Declare that numbers may be too large."""
    parser.add_argument(
        "--clamp", action="store_true", help="Move a number behind the end of its log to the end."
    )


def show_or_apply(plan: Plan, options: dict[str, Any], write: Write) -> Exit:
    """Show the review, and write it with --execute."""
    if options["dry_run"]:
        firsts = first_records(plan, plan.lines) if needs_a_look(plan) else Firsts()
        looked = observed(plan, firsts)
        write(json.dumps(_values(looked)) if options["json"] else review(looked, firsts.note))
        return Exit.DONE
    patience = options["until_caught_up"]
    goal = None if patience is None else Goal.of(plan)
    row = _applied(plan, options["reason"])
    try:
        done, catch = _followed(row, goal, options)
    except DatabaseError as error:
        return _report_unknown(plan, row, error, options, write)
    _report(plan, row, done, catch, options, write)
    late = (options["wait"] is not None and not done.done) or (catch is not None and not catch.done)
    return Exit.LATE if late else Exit.DONE


def _applied(plan: Plan, reason: str) -> Rewind:
    try:
        return rewind.apply(plan, origin="command", reason=reason)
    except DatabaseError as error:
        raise StreamappError(
            f"{explain(error)} Whether the rewind is stored isn't known, as the answer to the commit may be "
            "what was lost. Look at the list of rewinds in the admin before you repeat it."
        ) from error


def _followed(row: Rewind, goal: Goal | None, options: dict[str, Any]) -> tuple[Progress, Catch | None]:
    """Wait for what was asked for; raises django.db.Error when the database is down for as long as that."""
    if goal is None:
        return until_applied(row, options["wait"] or 0), None
    if options["wait"]:
        until_applied(row, options["wait"])
    catch = until_caught_up(row, goal, options["until_caught_up"])
    return rewind.progress(row), catch


def _report_unknown(
    plan: Plan, row: Rewind, error: DatabaseError, options: dict[str, Any], write: Write
) -> Exit:
    """Say that it is done, so that nobody does it twice, though nobody knows how far workers are."""
    waits = options["wait"] is not None or options["until_caught_up"] is not None
    why = f"How far workers are isn't known: {str(error).strip()}"
    if options["json"]:
        write(json.dumps({**_values(plan), "rewind": row.pk, "shards": len(plan.lines), "unknown": why}))
    else:
        write(f"{review(plan)}\nRewind {row.pk} is stored. {why}")
    return Exit.LATE if waits else Exit.DONE


def _report(
    plan: Plan, row: Rewind, done: Progress, catch: Catch | None, options: dict[str, Any], write: Write
) -> None:
    if options["json"]:
        counts = {"rewind": row.pk, "shards": done.total, "waiting": done.waiting, "gated": done.gated}
        caught = {} if catch is None else _counts(catch)
        write(json.dumps({**_values(plan), **counts, **caught}))
        return
    write(review(plan))
    write(f"Rewind {row.pk} is stored. {done}")
    if catch:
        write(str(catch))
    elif done.under_way and options["wait"] is None:
        write("Workers follow within a second or so. --wait SECONDS waits for them, next time.")
    write(f"To take it back: python manage.py streams undo {row.pk} --execute")


def _values(plan: Plan) -> dict[str, Any]:
    return {**plan.to_json(), "effect": plan.effect, "notes": plan.notes}


def _counts(catch: Catch) -> dict[str, int]:
    return {"behind": catch.behind, "held": catch.held, "superseded": catch.superseded}
