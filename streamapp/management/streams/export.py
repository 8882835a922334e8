"""`manage.py streams export`."""

import sys
from argparse import ArgumentParser
from typing import Any

from streamapp import positions
from streamapp.management.streams.subcommand import Exit, Subcommand, negative_durations
from streamapp.services import asking
from streamapp.services.export import export
from streamapp.services.flags import Flag


class ExportPositions(Subcommand):
    """Writes checkpoints as a file that `import` takes."""

    help = (
        "Write the checkpoints of a subscription as lines topic,partition,offset, as Kafka's own tool has "
        "them; on Kinesis stream,shard,position. `streams import` brings them back."
    )

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        negative_durations(parser)
        parser.add_argument("subscription", help="The name in STREAMAPP.")
        parser.add_argument(
            "--as-of",
            metavar="MOMENT",
            help="As they were then: 2026-11-01T00:00:00Z, or -8h. As they are now without it.",
        )

    def run(self, options: dict[str, Any]) -> Exit:
        """Write the lines; what is missing goes to the standard error, so that the file stays whole."""
        asked = options["as_of"]
        exported = export(
            options["subscription"], None if asked is None else asking.past_moment(positions.parse(asked))
        )
        self.write(exported.text)
        for shard in exported.missing:
            sys.stderr.write(f"! {shard} is left out: {Flag.NO_SAMPLE}.\n")
        return Exit.DONE
