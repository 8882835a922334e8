"""The command line of `script/demo`."""

import argparse
import os
import sys
from pathlib import Path

from demonstration.check import play_check
from demonstration.live import play_live
from demonstration.stopping import Stop

FILES = Path(__file__).resolve().parents[2] / ".demo"
DESCRIPTION = """The example on this machine: both projects with a trickle of records, their consumers, and
the admin on loopback. Ctrl-C stops everything that it started. Its files are in .demo/, or in the
directory that STREAMAPP_DEMO_STATE names."""


def main() -> int:
    """Return the exit code."""
    arguments = _parse()
    stop = Stop()
    stop.listen()
    directory = Path(os.environ.get("STREAMAPP_DEMO_STATE") or FILES).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    if arguments.check:
        return play_check(directory, stop, real=arguments.real, broken=arguments.broken)
    return play_live(directory, stop, real=arguments.real)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/demo", description=DESCRIPTION)
    parser.add_argument(
        "--check",
        action="store_true",
        help="no person needed: hold a record, kill the consumers, see it come again first; "
        "the last line is one JSON object, the exit code 0 or 1",
    )
    parser.add_argument(
        "--break",
        dest="broken",
        choices=["held"],
        help="with --check: skip the held record while the consumers are down; the check must notice",
    )
    parser.add_argument(
        "--real",
        action="store_true",
        help="on kinesis-local, Apache Kafka and PostgreSQL, started by script/services",
    )
    arguments = parser.parse_args()
    if arguments.broken and not arguments.check:
        parser.error("--break belongs to --check")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
