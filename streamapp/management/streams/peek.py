"""`manage.py streams peek`."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from typing import Any

from streamapp import positions
from streamapp.management.streams.records import records_as_text
from streamapp.management.streams.subcommand import Exit, Subcommand, negative_durations
from streamapp.services import peek
from streamapp.services.scope import shard_meant


class Peek(Subcommand):
    """Shows records of one shard."""

    help = (
        "Show records of a shard as the handler would get them, without joining a group or taking a lease. "
        "On Kinesis it goes forward only, and spends some of the 5 reads a second that a shard has."
    )

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        negative_durations(parser)
        parser.add_argument("subscription", help="The name in STREAMAPP.")
        parser.add_argument(
            "place",
            nargs="?",
            default="latest",
            help=f"Where to look: a position as `streams status` shows it, or {positions.FORMS}. "
            "The last records without one.",
        )
        parser.add_argument("--shard", metavar="STREAM/SHARD", help="Which one, where there are several.")
        parser.add_argument(
            "--before", type=_count, default=peek.RECORDS, metavar="N", help="Records in front of the place."
        )
        parser.add_argument(
            "--after", type=_count, default=peek.RECORDS, metavar="N", help="Records from the place on."
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")

    def run(self, options: dict[str, Any]) -> Exit:
        """Look once."""
        name, place = options["subscription"], options["place"]
        shard = shard_meant(name, options["shard"], place)
        found = peek.look(name, shard, place, before=options["before"], after=options["after"] or 1)
        if options["json"]:
            self.write(json.dumps({"subscription": name, **asdict(found)}, default=str))
        else:
            self.write(records_as_text(name, found))
        return Exit.DONE


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > peek.MOST_RECORDS:
        raise ArgumentTypeError(f"give a number of records from 0 to {peek.MOST_RECORDS}")
    return int(text)
