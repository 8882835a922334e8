"""`manage.py streams forget`."""

from argparse import ArgumentParser
from typing import Any

from streamapp.management.streams.subcommand import Exit, Subcommand, add_dry_run_or_execute
from streamapp.services import forget
from streamapp.services.wording import amount


class Forget(Subcommand):
    """Deletes a subscription's checkpoints and what hangs on them."""

    help = (
        "Delete the checkpoints, rewinds and records set aside (quarantined, delayed, dead letters) of one "
        "subscription for good; no worker may run it. The log of the broker is not touched."
    )

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("subscription", help="The name that the checkpoints have.")
        add_dry_run_or_execute(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Check, and delete with --execute."""
        act = forget.forget if options["execute"] else forget.check
        gone = act(options["subscription"])
        done = "Deleted" if options["execute"] else "Would delete"
        self.write(
            f"{done} {gone.name}: {amount(gone.checkpoints, 'checkpoint')}, "
            f"{amount(gone.rewinds, 'rewind')}, {amount(gone.quarantined, 'quarantined record')}, "
            f"{amount(gone.delayed, 'delayed record')}, {amount(gone.dead_letters, 'dead letter')}."
        )
        if gone.mounted:
            self.write(f'STREAMAPP["SUBSCRIPTIONS"] has {gone.name}: its next start is a first start.')
        return Exit.DONE
