"""What the subcommands of `manage.py streams` have in common."""

import re
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable
from enum import IntEnum
from typing import Any


class Exit(IntEnum):
    """The exit codes."""

    DONE = 0
    ERROR = 1
    WRONG_USE = 2
    """By argparse; and what needs a reason was asked for without one."""
    LATE = 3
    """Written, but some shards aren't read from the new position in the time given; or more is left to do."""


class Subcommand(ABC):
    """One subcommand; `write` puts one line on the standard output."""

    help: str

    def __init__(self, write: Callable[[str], object]) -> None:
        """Take where lines go."""
        self.write = write

    @classmethod
    @abstractmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""

    @abstractmethod
    def run(self, options: dict[str, Any]) -> Exit:
        """Do it. StreamappErrors become a message and exit code 1."""


def negative_durations(parser: ArgumentParser) -> None:
    """Let `-7d` be an argument: argparse takes it for an option unless it looks like a negative number."""
    parser._negative_number_matcher = re.compile(r"-\d+[smhd]?")


def add_dry_run_or_execute(parser: ArgumentParser) -> None:
    """Ask for exactly one of --dry-run and --execute, so that nothing changes by accident."""
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--dry-run", action="store_true", help="Show what would change; change nothing.")
    choice.add_argument("--execute", action="store_true", help="Do it.")
