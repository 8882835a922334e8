"""`manage.py streams rewind`."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from streamapp import positions
from streamapp.management.streams.review import review
from streamapp.management.streams.subcommand import (
    Exit,
    Subcommand,
    add_dry_run_or_execute,
    negative_durations,
)
from streamapp.models import Rewind as RewindRow
from streamapp.services import rewind
from streamapp.services.scope import shards_named

POLL_SECONDS = 0.2


class Rewind(Subcommand):
    """Moves stored checkpoints of a subscription, under running workers or without any."""

    help = "Move the checkpoints of a subscription; running workers follow within a second or so."

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        negative_durations(parser)
        parser.add_argument("subscription", help="The name in STREAMAPP.")
        parser.add_argument("position", help=f"Where to resume: {positions.FORMS}.")
        parser.add_argument(
            "--shard", action="append", metavar="STREAM/SHARD", help="Only this one; give it again for more."
        )
        parser.add_argument("--reason", default="", help="Kept with the rewind, for whoever asks later.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")
        parser.add_argument(
            "--wait",
            type=float,
            metavar="SECONDS",
            help="Wait until workers read from there; exit 3 if too late, at once if no live worker runs it.",
        )
        add_dry_run_or_execute(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Plan and show, and apply with --execute."""
        position = positions.parse(options["position"])
        plan = rewind.plan_mounted(options["subscription"], position, _shards(options))
        if options["dry_run"]:
            self.write(json.dumps(_values(plan)) if options["json"] else review(plan))
            return Exit.DONE
        row = rewind.apply(plan, origin="command", reason=options["reason"])
        done = self._wait(row, options["wait"] or 0)
        self._report(plan, row, done, options)
        return Exit.DONE if done.done or options["wait"] is None else Exit.LATE

    def _wait(self, row: RewindRow, seconds: float) -> rewind.Progress:
        deadline = time.monotonic() + seconds
        while (progress := rewind.progress(row)).under_way and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        return progress

    def _report(
        self, plan: rewind.Plan, row: RewindRow, done: rewind.Progress, options: dict[str, Any]
    ) -> None:
        if options["json"]:
            counts = {"rewind": row.pk, "shards": done.total, "waiting": done.waiting}
            self.write(json.dumps({**_values(plan), **counts}))
            return
        self.write(review(plan))
        self.write(f"Rewind {row.pk} is stored. {done}")
        if done.under_way and options["wait"] is None:
            self.write("Workers follow within a second or so. --wait SECONDS waits for them, next time.")


def _values(plan: rewind.Plan) -> dict[str, Any]:
    return {**plan.to_json(), "effect": plan.effect}


def _shards(options: dict[str, Any]) -> Any:
    return shards_named(options["subscription"], options["shard"]) if options["shard"] else None
