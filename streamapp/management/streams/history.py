"""`manage.py streams history`."""

import json
import re
from argparse import ArgumentParser
from typing import Any

from streamapp import positions
from streamapp.management.streams.subcommand import Exit, Subcommand, negative_durations
from streamapp.management.streams.table import table
from streamapp.positions import Moment
from streamapp.services import asking
from streamapp.services.history import SHOWN_AT_MOST, Past, Stood, history
from streamapp.services.wording import amount, moment, span

HEADINGS = ("at", "shard", "position", "lag (records)", "lag (time)")
SINCE = "2h"
_SPAN = re.compile(r"\d+[smhd]")


class ShowHistory(Subcommand):
    """Shows where checkpoints stood."""

    help = (
        "Show where the checkpoints of a subscription stood, newest last. Workers note one a minute, and "
        "one an hour of a shard that stands still."
    )

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        negative_durations(parser)
        parser.add_argument("subscription", help="The name in STREAMAPP.")
        parser.add_argument(
            "--shard", action="append", metavar="STREAM/SHARD", help="Only this one; give it again for more."
        )
        parser.add_argument(
            "--since",
            default=SINCE,
            metavar="MOMENT",
            help=f"So long ago, as 90m, or 2026-11-01T00:00:00Z. Without it {SINCE}.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON array and nothing else.")

    def run(self, options: dict[str, Any]) -> Exit:
        """Show the notes."""
        since = _since(options["since"])
        past = history(options["subscription"], options["shard"] or (), since)
        if options["json"]:
            self.write(json.dumps([note.to_json() for note in past.notes]))
        else:
            self.write(_told(options["subscription"], past))
        return Exit.DONE


def _since(text: str) -> Moment:
    return asking.past_moment(positions.parse(f"-{text}" if _SPAN.fullmatch(text) else text))


def _told(subscription: str, past: Past) -> str:
    since = moment(past.since)
    if not past.notes:
        return (
            f"{subscription} has no note since {since}. Workers write one a minute while they run, and one "
            "an hour of a shard that stands still. Go further back with --since, or see `streams status`."
        )
    lines = [f"{subscription} since {since}: {amount(len(past.notes), 'note')}."]
    lines.append(table(HEADINGS, [_row(note) for note in past.notes]))
    if past.cut:
        lines.append(f"! Only the newest {SHOWN_AT_MOST:,}. Narrow it with --shard or a later --since.")
    return "\n".join(lines)


def _row(note: Stood) -> tuple[str, ...]:
    records = "?" if note.lag_records is None else f"{note.lag_records:,}"
    seconds = "?" if note.lag_seconds is None else span(note.lag_seconds)
    return moment(note.at), note.shard, note.described, records, seconds
