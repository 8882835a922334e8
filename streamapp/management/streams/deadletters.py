"""`manage.py streams deadletters list|show|redeliver|purge|export`."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import islice
from typing import Any

from streamapp.exceptions import ActionRefused
from streamapp.management.streams.letter_texts import as_paragraph, as_table
from streamapp.management.streams.subcommand import (
    Exit,
    Subcommand,
    add_dry_run_or_execute,
    negative_durations,
)
from streamapp.models import DeadLetter
from streamapp.services.actions import Asker
from streamapp.services.set_aside import (
    Done,
    Publish,
    Purge,
    RedeliverSetAside,
    SetAsideAction,
    in_chunks,
    listing,
)
from streamapp.services.set_aside.in_streams import letters_in
from streamapp.services.wording import amount

READ = {
    "list": "List dead letters, oldest first, without their payloads.",
    "show": "Show dead letters whole, as their handler would get them, without what MASK hides.",
    "export": "Write dead letters whole, one JSON object a line, without what MASK hides.",
}
DONE = {
    "redeliver": "Deliver dead letters again to their subscription, or with --to-source to the stream they "
    "came from; what was edited, as edited.",
    "purge": "Delete dead letters for good.",
}
LISTED = 100


class DeadLetters(Subcommand):
    """Reads dead letters, and moves them as the admin does."""

    help = "List, show, redeliver, purge or export dead letters."

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the words that follow, each with its arguments."""
        words = parser.add_subparsers(dest="word", required=True, metavar="WORD")
        for name, text in {**READ, **DONE}.items():
            word = words.add_parser(name, help=text, description=text)
            _add_choice(word)
            if name != "export":
                word.add_argument(
                    "--json", action="store_true", help="Print one JSON value and nothing else."
                )
            if name == "list":
                text = f"At most so many ({LISTED}); 0 for all."
                word.add_argument("--limit", type=int, default=LISTED, metavar="N", help=text)
            if name in READ:
                text = "Those in this dead-letter stream of the subscription's broker, not in the database."
                word.add_argument("--stream", default="", metavar="NAME", help=text)
            if name in DONE:
                word.add_argument("--reason", default="", help="Kept in the audit trail; a purge needs one.")
                add_dry_run_or_execute(word)
            if name == "redeliver":
                text = "Publish them to their source, for everybody who reads it."
                word.add_argument("--to-source", action="store_true", help=text)

    def run(self, options: dict[str, Any]) -> Exit:
        """Read, or act."""
        if options.get("stream"):
            return self._read_stream(options)
        rows = listing.chosen(options["subscription"], options["since"], options["ids"])
        if options["word"] in DONE:
            return self._act(list(rows.values_list("pk", flat=True)), options)
        getattr(self, f"_{options['word']}")(rows, options)
        return Exit.DONE

    def _list(self, rows: Any, options: dict[str, Any]) -> None:
        most = options["limit"] or None
        found = list(listing.summaries(rows[:most]))
        if options["json"]:
            self.write(json.dumps(found, default=str))
            return
        self.write(as_table(found) if found else "No dead letter.")
        if most and len(found) == most and (more := rows.count() - most) > 0:
            self.write(f"And {amount(more, 'dead letter')} more: --limit 0 lists all.")

    def _show(self, rows: Any, options: dict[str, Any]) -> None:
        letters = [listing.whole(row) for row in rows[:LISTED]]
        if options["json"]:
            self.write(json.dumps(letters, default=str))
            return
        self.write("\n\n".join(map(as_paragraph, letters)) or "No dead letter.")

    def _export(self, rows: Any, options: dict[str, Any]) -> None:
        for row in rows.iterator(chunk_size=LISTED):
            self.write(json.dumps(listing.whole(row), default=str))

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
        if options["json"]:
            self.write(json.dumps(found, default=str))
        elif options["word"] == "list":
            self.write(as_table(found) if found else "No dead letter.")
        else:
            self.write("\n\n".join(map(as_paragraph, found)) or "No dead letter.")
        return Exit.DONE

    def _act(self, ids: Sequence[int], options: dict[str, Any]) -> Exit:
        action = _action(options)
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
            self.write(
                f"{sum(len(chunk.rows) for chunk in chunks):,} of {amount(total, 'dead letter')} done."
            )

        return tell


def _add_choice(parser: ArgumentParser) -> None:
    negative_durations(parser)
    parser.add_argument("ids", nargs="*", type=int, metavar="NUMBER", help="These only; all without one.")
    parser.add_argument("--subscription", default="", metavar="NAME", help="Those of one subscription.")
    parser.add_argument(
        "--since", default="", metavar="MOMENT", help="Given up since then: 2026-11-01T00:00:00Z, or -8h."
    )


def _action(options: dict[str, Any]) -> SetAsideAction:
    if options["word"] == "purge":
        return Purge(DeadLetter)
    return Publish(DeadLetter) if options["to_source"] else RedeliverSetAside(DeadLetter)
