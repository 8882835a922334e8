"""Waiting for the results of dry runs, and telling them."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from streamapp.management.streams.subcommand import Exit
from streamapp.services.dry_runs import is_good, rows, values
from streamapp.services.payloads import harmless
from streamapp.services.wording import amount

LOOK_SECONDS = 0.2
WAIT_SECONDS = 60.0
INDENT = "    "


def add_wait(parser: ArgumentParser) -> None:
    """Declare how long results are waited for."""
    text = f"Wait so long for the results ({WAIT_SECONDS:g}); 0 only asks for them."
    parser.add_argument("--wait", type=float, default=WAIT_SECONDS, metavar="SECONDS", help=text)


def report(
    ordered: Sequence[int],
    refused: Sequence[str],
    options: dict[str, Any],
    write: Callable[[str], object],
) -> Exit:
    """Wait for the results and write them; blocks for --wait seconds at most."""
    until = time.monotonic() + options["wait"]
    while rows(ordered).filter(ended_at=None).exists() and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    found = list(rows(ordered))
    if options["json"]:
        write(json.dumps({"runs": [values(row) for row in found], "refused": list(refused)}))
    else:
        for line in (*(line for row in found for line in _lines(row)), *(f"! {each}" for each in refused)):
            write(line)
    if any(row.ended_at is None for row in found):
        return Exit.LATE
    return Exit.DONE if all(map(is_good, found)) and not refused else Exit.ERROR


def _lines(row: Any) -> Iterator[str]:
    told = values(row)
    took = "" if row.milliseconds is None else f", {row.milliseconds:,.1f} ms"
    yield harmless(f"{told['record']}: {told['state']}{took}{': ' * bool(row.said)}{row.said}")
    for line in row.trace.splitlines():
        yield f"{INDENT}{harmless(line)}"
    for move in row.moves:
        yield f"{INDENT}would move: {harmless(move)}"
    for sent in told["unsent"]:
        yield f"{INDENT}would publish to {harmless(sent['destination'])}, {amount(sent['bytes'], 'byte')}"
    if more := told["unsent_left_out"]:
        yield f"{INDENT}would publish {amount(more, 'record')} more"
