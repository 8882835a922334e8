"""`manage.py streams import`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from streamapp.management.streams.applying import add_applying, add_clamp, show_or_apply
from streamapp.management.streams.files import text_of
from streamapp.management.streams.subcommand import Exit, Subcommand
from streamapp.services import asking, rewind


class ImportPositions(Subcommand):
    """Rewinds to the positions of a file."""

    help = (
        "Move checkpoints to the positions of a file, as `streams export` or Kafka's own tool wrote it: a "
        "rewind, with its review, trail and undo. Shards that it doesn't name stay."
    )

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("subscription", help="The name in STREAMAPP.")
        parser.add_argument(
            "file", type=Path, help="Lines topic,partition,offset; on Kinesis stream,shard,position."
        )
        add_clamp(parser)
        add_applying(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Plan and show, and apply with --execute."""
        target = asking.csv_target(text_of(options["file"]), clamp=options["clamp"])
        return show_or_apply(rewind.plan_mounted(options["subscription"], target), options, self.write)
