"""`manage.py streams undo`."""

from argparse import ArgumentParser
from typing import Any

from streamapp.management.streams.applying import add_applying, show_or_apply
from streamapp.management.streams.subcommand import Exit, Subcommand
from streamapp.services import rewind


class Undo(Subcommand):
    """Brings the shards of a rewind back to where they stood before it."""

    help = "Take a rewind back: another rewind, to the old positions. The first one and its trail stay."

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("rewind", type=int, help="The rewind's number, as its command or page says.")
        add_applying(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Plan and show, and apply with --execute."""
        return show_or_apply(rewind.plan_undo(rewind.numbered(options["rewind"])), options, self.write)
