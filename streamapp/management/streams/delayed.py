"""`manage.py streams delayed`: copies that wait for another attempt, or that their handler holds."""

from argparse import ArgumentParser
from typing import Any

from streamapp.management.streams.set_aside import DONE, READ, SetAsideSubcommand
from streamapp.services.set_aside import SkipHeldCopy, listing


class Delayed(SetAsideSubcommand):
    """Reads and moves delayed records."""

    help = "List, show, redeliver, skip, purge, export or try delayed records."
    kind = listing.DELAYED
    done = {**DONE, "skip": "Retire {these} that are held, with a reason; they are not handled."}
    actions = {**SetAsideSubcommand.actions, "skip": SkipHeldCopy}

    @classmethod
    def _add_word(cls, name: str, word: ArgumentParser) -> None:
        super()._add_word(name, word)
        if name in READ:
            word.add_argument("--held", action="store_true", help="Those that their handler holds.")

    def _chosen(self, options: dict[str, Any]) -> Any:
        rows = super()._chosen(options)
        held = options.get("held") or options["word"] == "skip"
        return rows.filter(due_at=None) if held and not options["ids"] else rows
