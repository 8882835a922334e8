"""`manage.py streams rewind`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from streamapp import positions
from streamapp.exceptions import InvalidPosition
from streamapp.management.streams.applying import add_applying, add_clamp, show_or_apply
from streamapp.management.streams.files import text_of
from streamapp.management.streams.subcommand import Exit, Subcommand, negative_durations
from streamapp.services import asking, rewind
from streamapp.services.scope import shards_named
from streamapp.services.targets import Shift, Target

ONE_OF = "Say where to: a position, --shift, --as-of or --csv, and only one of them."


class Rewind(Subcommand):
    """Moves stored checkpoints of a subscription, under running workers or without any."""

    help = "Move the checkpoints of a subscription; running workers follow within a second or so."

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        negative_durations(parser)
        parser.add_argument("subscription", help="The name in STREAMAPP.")
        parser.add_argument(
            "position",
            nargs="*",
            help=f"Where to resume: {positions.FORMS}. Several, if each names its shard.",
        )
        _add_other_targets(parser)
        parser.add_argument(
            "--shard", action="append", metavar="STREAM/SHARD", help="Only this one; give it again for more."
        )
        add_applying(parser)

    def run(self, options: dict[str, Any]) -> Exit:
        """Plan and show, and apply with --execute."""
        plan = rewind.plan_mounted(options["subscription"], _target(options), _shards(options))
        return show_or_apply(plan, options, self.write)


def _add_other_targets(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--shift", type=int, metavar="RECORDS", help="So many records on, or back: --shift=-100."
    )
    parser.add_argument(
        "--as-of",
        metavar="MOMENT",
        help="The checkpoints as they were then: 2026-11-01T00:00:00Z, or -8h.",
    )
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="Lines topic,partition,offset, as Kafka's own tool has them."
    )
    add_clamp(parser)


def _target(options: dict[str, Any]) -> Target:
    given = [name for name in ("position", "shift", "as_of", "csv") if options[name] not in ([], None)]
    match given:
        case ["position"]:
            return asking.written_target(options["position"], clamp=options["clamp"])
        case ["shift"]:
            return Shift(options["shift"])
        case ["as_of"]:
            return asking.as_of(positions.parse(options["as_of"]))
        case ["csv"]:
            return asking.csv_target(text_of(options["csv"]), clamp=options["clamp"])
    raise InvalidPosition(ONE_OF)


def _shards(options: dict[str, Any]) -> Any:
    return shards_named(options["subscription"], options["shard"]) if options["shard"] else None
