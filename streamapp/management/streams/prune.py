"""`manage.py streams prune`."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from streamapp.management.streams.subcommand import Exit, Subcommand, add_dry_run_or_execute
from streamapp.management.streams.table import table as as_table
from streamapp.services import pruning
from streamapp.services.pruning import ROWS_A_TRANSACTION, Pruned
from streamapp.services.wording import amount
from streamapp.store.audit import Asker
from streamapp.store.pruning import Table


class Prune(Subcommand):
    """Deletes what STREAMAPP["RETENTION"] keeps no longer."""

    help = (
        'Delete the rows that STREAMAPP["RETENTION"] keeps no longer (dead letters, quarantine, dry runs, '
        f"skips, history) and workers that left. At most {pruning.MOST:,} rows of a table in one run; "
        "exit 3 if more is left. "
        "Every dead letter and quarantined record that goes is logged and audited."
    )

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--json", action="store_true", help="Print one JSON array and nothing else.")
        parser.add_argument(
            "--chunk",
            type=_rows,
            default=ROWS_A_TRANSACTION,
            metavar="ROWS",
            help=f"Rows a transaction; {ROWS_A_TRANSACTION:,} without it.",
        )
        add_dry_run_or_execute(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Count, and delete with --execute."""
        execute = options["execute"]
        done = pruning.prune(Asker("command"), options["chunk"], tell=_draw) if execute else pruning.plan()
        if options["json"]:
            self.write(json.dumps([pruned.to_json() for pruned in done]))
        else:
            self._report(done, "Deleted" if execute else "Would delete")
        return Exit.LATE if any(pruned.more for pruned in done) else Exit.DONE

    def _report(self, done: list[Pruned], verb: str) -> None:
        if rows := [row for pruned in done for row in _rows_of(pruned)]:
            self.write(as_table(("table", "subscription", "rows"), rows))
        self.write(f"{verb} {amount(sum(pruned.rows for pruned in done), 'row')}.")
        if any(pruned.more for pruned in done):
            self.write("More is left: run it again.")


def _rows_of(pruned: Pruned) -> list[tuple[str, ...]]:
    name = pruned.table.words
    if pruned.table.name == "WORKERS":
        return [(name, "", f"{pruned.rows:,}")] if pruned.rows else []
    return [(name, subscription, f"{rows:,}") for subscription, rows in sorted(pruned.subscriptions.items())]


def _draw(table: Table, rows: int) -> None:
    """Show the progress to whoever sits in front of it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{table.words}: {amount(rows, 'row')} deleted\n")


def _rows(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no number of rows: give a whole number from 1 on")
    return int(text)
