"""What the review and the refusal of a plan show."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.translation import gettext as _

from streamapp.admin.cells import time
from streamapp.exceptions import StalePlan
from streamapp.positions import SHARD_END
from streamapp.services.firsts import Firsts, first_records, needs_a_look
from streamapp.services.places import described
from streamapp.services.plans import Flag, Line, Plan

LINES_A_PAGE = 100
QUIET = {Flag.UNCHANGED, Flag.FINISHED}


def review_context(plan: Plan, request: HttpRequest) -> dict[str, Any]:
    """Return a page of the plan's lines, flagged ones first, with the records there if they may be seen."""
    lines = sorted(plan.lines, key=lambda line: not line.flags)
    page = Paginator(lines, LINES_A_PAGE).get_page(request.POST.get("page"))
    may_see = request.user.has_perm("streamapp.view_record")
    firsts = first_records(plan, list(page)) if may_see or needs_a_look(plan) else Firsts()
    return {
        "plan": plan,
        "command": plan.command(_("…")),
        "page": page,
        "lines": [_cells(plan.broker, line, firsts) for line in page],
        "may_see": may_see,
        "firsts_note": firsts.note,
    }


def changes(plan: Plan, error: StalePlan) -> list[dict[str, str]]:
    """Return what a stale plan's shards looked like in the review, and look like now."""
    reviewed = {line.checkpoint: line for line in plan.lines}
    return [
        {
            "shard": reviewed[pk].shard if pk in reviewed else _("a new shard"),
            "reviewed": described(plan.broker, reviewed[pk].old) if pk in reviewed else "–",
            "now": _("gone") if at is None else described(plan.broker, at),
        }
        for pk, at in error.found.items()
    ]


def _cells(broker: str, line: Line, firsts: Firsts) -> dict[str, Any]:
    record = firsts.records.get(line.checkpoint)
    flags = (*line.flags, *firsts.flags.get(line.checkpoint, ()))
    return {
        "line": line,
        "old": described(broker, line.old),
        "new": described(broker, line.new),
        "effect": line.effect(broker),
        "flags": [(flag.value, "idle" if flag in QUIET else "warn") for flag in flags],
        "time": time(record.timestamp) if record else "",
        "record": record,
        "looked": line.checkpoint in firsts.records,
        "is_over": line.new == SHARD_END,
    }
