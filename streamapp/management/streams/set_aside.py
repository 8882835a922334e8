"""`manage.py streams deadletters|quarantine|delayed WORD`: one set of words for all records set aside."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from streamapp.management.streams.letter_texts import as_paragraph, as_table
from streamapp.management.streams.subcommand import (
    Exit,
    Subcommand,
    add_dry_run_or_execute,
    negative_durations,
)
from streamapp.management.streams.trying import add_wait, report
from streamapp.services.actions import Asker
from streamapp.services.set_aside import (
    Done,
    DryRunSetAside,
    Publish,
    Purge,
    RedeliverSetAside,
    SetAsideAction,
    in_chunks,
    listing,
)
from streamapp.services.wording import amount

LISTED = 100
READ = {
    "list": "List {these}, oldest first, without their payloads.",
    "show": "Show {these} whole, as their handler would get them, without what MASK hides.",
    "export": "Write {these} whole, one JSON object a line, without what MASK hides.",
}
DONE = {
    "redeliver": "Deliver {these} again to their subscription, or with --to-source to the stream they "
    "came from; what was edited, as edited.",
    "purge": "Delete {these} for good.",
}
TRY = {
    "try": "Let a worker call the handler for {these}, undo what it writes, and say what came of it. "
    "Exit code 1 if a handler doesn't settle one, 3 if there is no result in time.",
}


class SetAsideSubcommand(Subcommand):
    """Reads the rows of one table, and moves them as the admin does."""

    kind: ClassVar[listing.Kind]
    done: ClassVar[Mapping[str, str]] = DONE
    actions: ClassVar[Mapping[str, type[SetAsideAction]]] = {"redeliver": RedeliverSetAside, "purge": Purge}

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the words that follow, each with its arguments."""
        words = parser.add_subparsers(dest="word", required=True, metavar="WORD")
        for name, text in {**READ, **cls.done, **TRY}.items():
            told = text.format(these=f"{cls.kind.unit}s")
            cls._add_word(name, words.add_parser(name, help=told, description=told))

    @classmethod
    def _add_word(cls, name: str, word: ArgumentParser) -> None:
        _add_choice(word, needed=name == "try")
        if name != "export":
            word.add_argument("--json", action="store_true", help="Print one JSON value and nothing else.")
        if name == "list":
            text = f"At most so many ({LISTED}); 0 for all."
            word.add_argument("--limit", type=int, default=LISTED, metavar="N", help=text)
        if name not in READ:
            word.add_argument(
                "--reason", default="", help="Kept in the audit trail; to purge or skip needs one."
            )
        if name in cls.done:
            add_dry_run_or_execute(word)
        if name == "redeliver":
            text = "Publish them to their source, for everybody who reads it."
            word.add_argument("--to-source", action="store_true", help=text)
        if name == "try":
            add_wait(word)

    def run(self, options: dict[str, Any]) -> Exit:
        """Read, act, or try."""
        rows = self._chosen(options)
        if options["word"] in READ:
            getattr(self, f"_{options['word']}")(rows, options)
            return Exit.DONE
        ids = list(rows.values_list("pk", flat=True))
        return self._try(ids, options) if options["word"] == "try" else self._act(ids, options)

    def _chosen(self, options: dict[str, Any]) -> Any:
        return listing.chosen(self.kind, options["subscription"], options["since"], options["ids"])

    def _list(self, rows: Any, options: dict[str, Any]) -> None:
        most = options["limit"] or None
        found = list(listing.summaries(self.kind, rows[:most]))
        self._print_list(found, options)
        if not options["json"] and most and len(found) == most and (more := rows.count() - most) > 0:
            self.write(f"And {amount(more, self.kind.unit)} more: --limit 0 lists all.")

    def _show(self, rows: Any, options: dict[str, Any]) -> None:
        self._print_whole([listing.whole(self.kind, row) for row in rows[:LISTED]], options)

    def _export(self, rows: Any, options: dict[str, Any]) -> None:
        for row in rows.iterator(chunk_size=LISTED):
            self.write(json.dumps(listing.whole(self.kind, row), default=str))

    def _print_list(self, found: Sequence[Any], options: dict[str, Any]) -> None:
        text = as_table(self.kind, found) if found else f"No {self.kind.unit}."
        self.write(json.dumps(found, default=str) if options["json"] else text)

    def _print_whole(self, found: Sequence[Any], options: dict[str, Any]) -> None:
        text = "\n\n".join(as_paragraph(self.kind, letter) for letter in found) or f"No {self.kind.unit}."
        self.write(json.dumps(found, default=str) if options["json"] else text)

    def _try(self, ids: Sequence[int], options: dict[str, Any]) -> Exit:
        action = DryRunSetAside(self.kind.model)
        action.review(ids)
        refused: list[str] = []
        asker = Asker("command", reason=options["reason"])
        in_chunks(action, ids, asker, lambda done: refused.extend(done.refused))
        return report(action.ordered, refused, options, self.write)

    def _act(self, ids: Sequence[int], options: dict[str, Any]) -> Exit:
        kind = Publish if options.get("to_source") else self.actions[options["word"]]
        action = kind(self.kind.model)
        review = action.review(ids)
        if options["dry_run"]:
            end = "Nothing has changed yet: --execute does it."
            lines = [f"{review.action} {review.subject}", *(f"  {effect}" for effect in review.effects), end]
            values = {**review.to_json(), "executed": False}
            self.write(json.dumps(values) if options["json"] else "\n".join(lines))
            return Exit.DONE
        chunks: list[Done] = []
        tell = chunks.append if options["json"] else self._tell(chunks, len(ids))
        whole = in_chunks(action, ids, Asker("command", reason=options["reason"]), tell)
        done, refused = sum(len(chunk.rows) for chunk in chunks), [s for c in chunks for s in c.refused]
        stopped = chunks[-1].stopped
        if options["json"]:
            counts = {"done": done, "refused": refused, "stopped": stopped, "executed": True}
            self.write(json.dumps({**review.to_json(), **counts}))
        elif stopped:
            self.write(f"Stopped, the rest was not tried. {stopped}")
        return Exit.DONE if whole and not refused else Exit.ERROR

    def _tell(self, chunks: list[Done], total: int) -> Any:
        def tell(done: Done) -> None:
            chunks.append(done)
            for sentence in done.refused:
                self.write(f"! {sentence}")
            count = sum(len(chunk.rows) for chunk in chunks)
            self.write(f"{count:,} of {amount(total, self.kind.unit)} done.")

        return tell


def _add_choice(parser: ArgumentParser, *, needed: bool) -> None:
    negative_durations(parser)
    text = "These only." if needed else "These only; all without one."
    parser.add_argument("ids", nargs="+" if needed else "*", type=int, metavar="NUMBER", help=text)
    parser.add_argument("--subscription", default="", metavar="NAME", help="Those of one subscription.")
    parser.add_argument(
        "--since", default="", metavar="MOMENT", help="Here since then: 2026-11-01T00:00:00Z, or -8h."
    )
