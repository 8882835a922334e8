"""`manage.py streams try`: a dry run of a record that is held in its shard."""

from argparse import ArgumentParser
from typing import Any

from streamapp.management.streams.subcommand import Exit, Subcommand
from streamapp.management.streams.trying import add_wait, report
from streamapp.services.actions import Asker, DryRunHeld


class TryHeld(Subcommand):
    """Orders the run and waits for its result."""

    help = (
        "Let a worker call the handler for a held record, undo what it writes, and say what came of it. "
        "Exit code 1 if the handler doesn't settle it, 3 if there is no result in time."
    )

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("subscription", help="Its name, as `streams status` shows it.")
        parser.add_argument(
            "record", metavar="STREAM/SHARD@POSITION", help="The held record, as `streams status` names it."
        )
        parser.add_argument("--reason", default="", help="Kept in the audit trail.")
        parser.add_argument("--json", action="store_true", help="Print one JSON value and nothing else.")
        add_wait(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Order, wait, tell."""
        action = DryRunHeld.named(options["subscription"], options["record"])
        action.do(Asker("command", reason=options["reason"]))
        return report([action.ordered] if action.ordered else [], [], options, self.write)
