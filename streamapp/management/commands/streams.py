"""`manage.py streams`: look at subscriptions, move their checkpoints, and tell their workers what to do."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError

from streamapp.exceptions import MissingReason, StreamappError
from streamapp.management.streams.actions import (
    DrainWorker,
    PauseShards,
    RedeliverRecords,
    ReleaseLeases,
    ResumeShards,
    SkipRecord,
)
from streamapp.management.streams.database import explain
from streamapp.management.streams.deadletters import DeadLetters
from streamapp.management.streams.delayed import Delayed
from streamapp.management.streams.export import ExportPositions
from streamapp.management.streams.forget import Forget
from streamapp.management.streams.history import ShowHistory
from streamapp.management.streams.importing import ImportPositions
from streamapp.management.streams.peek import Peek
from streamapp.management.streams.prune import Prune
from streamapp.management.streams.quarantine import Quarantine
from streamapp.management.streams.rename import Rename
from streamapp.management.streams.rewind import Rewind
from streamapp.management.streams.status import Status
from streamapp.management.streams.subcommand import Exit, Subcommand
from streamapp.management.streams.try_held import TryHeld
from streamapp.management.streams.undo import Undo

SUBCOMMANDS: dict[str, type[Subcommand]] = {
    "status": Status,
    "rewind": Rewind,
    "undo": Undo,
    "history": ShowHistory,
    "export": ExportPositions,
    "import": ImportPositions,
    "peek": Peek,
    "pause": PauseShards,
    "resume": ResumeShards,
    "skip": SkipRecord,
    "redeliver": RedeliverRecords,
    "release": ReleaseLeases,
    "drain": DrainWorker,
    "deadletters": DeadLetters,
    "quarantine": Quarantine,
    "delayed": Delayed,
    "try": TryHeld,
    "rename": Rename,
    "forget": Forget,
    "prune": Prune,
}


class Command(BaseCommand):
    """Picks the subcommand and turns its result into an exit code."""

    help = (
        "Look at subscriptions, move their checkpoints, and tell their workers what to do. "
        "Exit codes: 0 done, 1 error, 2 wrong use, 3 stored but not applied "
        "or not caught up in time, or more is left to do."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the subcommands."""
        subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")
        for name, subcommand in SUBCOMMANDS.items():
            subparser = subparsers.add_parser(name, help=subcommand.help, description=subcommand.help)
            subcommand.add_arguments(subparser)

    def handle(self, *args: Any, subcommand: str, **options: Any) -> None:
        """Run one subcommand."""
        try:
            code = SUBCOMMANDS[subcommand](self.stdout.write).run(options)
        except MissingReason as error:
            raise CommandError(str(error), returncode=Exit.WRONG_USE) from error
        except StreamappError as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(explain(error)) from error
        if code:
            raise SystemExit(int(code))
