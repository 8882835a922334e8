"""`manage.py streams rename`."""

from argparse import ArgumentParser
from typing import Any

from streamapp.management.streams.subcommand import Exit, Subcommand, add_dry_run_or_execute
from streamapp.services import rename
from streamapp.services.wording import amount


class Rename(Subcommand):
    """Gives a subscription's checkpoints to another name."""

    help = "Give the checkpoints of one subscription to another name; no worker may run the old one."

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("old", help="The name that the checkpoints have now.")
        parser.add_argument("new", help="The name that they get. It must not exist in the database.")
        add_dry_run_or_execute(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Check, and rename with --execute."""
        act = rename.rename if options["execute"] else rename.check
        renaming = act(options["old"], options["new"])
        done = "Renamed" if options["execute"] else "Would rename"
        self.write(
            f"{done} {renaming.old} to {renaming.new}: {amount(renaming.checkpoints, 'checkpoint')}, "
            f"{amount(renaming.quarantined, 'quarantined record')}, "
            f"{amount(renaming.delayed, 'delayed record')}, {amount(renaming.dead_letters, 'dead letter')}."
        )
        if not renaming.mounted:
            self.write(f'STREAMAPP["SUBSCRIPTIONS"] has no {renaming.new} yet. Rename it there too.')
        return Exit.DONE
