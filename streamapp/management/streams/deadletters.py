"""`manage.py streams deadletters`: dead letters in the database, and those in a stream."""

import json
from argparse import ArgumentParser
from itertools import islice
from typing import Any

from streamapp.exceptions import ActionRefused
from streamapp.management.streams.set_aside import LISTED, READ, SetAsideSubcommand
from streamapp.management.streams.subcommand import Exit
from streamapp.services.set_aside import listing
from streamapp.services.set_aside.in_streams import letters_in


class DeadLetters(SetAsideSubcommand):
    """Reads and moves dead letters."""

    help = "List, show, redeliver, purge, export or try dead letters."
    kind = listing.LETTERS

    @classmethod
    def _add_word(cls, name: str, word: ArgumentParser) -> None:
        super()._add_word(name, word)
        if name in READ:
            text = "Those in this dead-letter stream of the subscription's broker, not in the database."
            word.add_argument("--stream", default="", metavar="NAME", help=text)

    def run(self, options: dict[str, Any]) -> Exit:
        """Read a stream, or do what is done with rows."""
        return self._read_stream(options) if options.get("stream") else super().run(options)

    def _read_stream(self, options: dict[str, Any]) -> Exit:
        if not options["subscription"] or options["ids"]:
            raise ActionRefused(
                "A stream is read for one subscription, whose broker and type it takes, and has no numbers: "
                "give --subscription NAME, and --since."
            )
        since = listing.moment_of(options["since"]) if options["since"] else None
        letters = letters_in(options["subscription"], options["stream"], since)
        if options["word"] == "export":
            for letter in letters:
                self.write(json.dumps(letter, default=str))
            return Exit.DONE
        found = list(islice(letters, options.get("limit", LISTED) or None))
        show = self._print_list if options["word"] == "list" else self._print_whole
        show(found, options)
        return Exit.DONE
