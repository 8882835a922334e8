"""`manage.py streams pause|resume|skip|redeliver|release|drain`: an operator's actions for a terminal."""

import json
from abc import abstractmethod
from argparse import ArgumentParser
from typing import Any

from streamapp.management.streams.subcommand import Exit, Subcommand, add_dry_run_or_execute
from streamapp.services.actions import (
    Action,
    Asker,
    Drain,
    Pause,
    Redeliver,
    Release,
    Resume,
    Review,
    Skip,
    Undrain,
)
from streamapp.services.actions.scope import Scope


class ActionSubcommand(Subcommand):
    """Reviews an action, and does it with --execute."""

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the subject, and what all actions have in common."""
        cls._add_subject(parser)
        parser.add_argument("--reason", default="", help="Kept in the audit trail, for whoever asks later.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")
        add_dry_run_or_execute(parser)

    @classmethod
    def _add_subject(cls, parser: ArgumentParser) -> None:
        parser.add_argument("subscription", help="Its name, as `streams status` shows it.")
        parser.add_argument(
            "--shard", action="append", metavar="STREAM/SHARD", help="Only this one; give it again for more."
        )

    def run(self, options: dict[str, Any]) -> Exit:
        """Review, or do."""
        action = self.action(options)
        done = options["execute"]
        review = action.do(Asker("command", reason=options["reason"])) if done else action.review()
        self.write(
            json.dumps({**review.to_json(), "executed": done}) if options["json"] else _text(review, done)
        )
        return Exit.DONE

    @abstractmethod
    def action(self, options: dict[str, Any]) -> Action:
        """Return what is asked for."""


def _text(review: Review, done: bool) -> str:
    heading = f"{review.action} {review.subscription}: {review.subject}".replace(" :", ":")
    end = (
        "Stored, with an entry in the audit trail." if done else "Nothing has changed yet: --execute does it."
    )
    return "\n".join([heading, *(f"  {effect}" for effect in review.effects), end])


def _scope(options: dict[str, Any]) -> Scope:
    return Scope.of(options["subscription"], options["shard"])


class PauseShards(ActionSubcommand):
    """Stops handling."""

    help = "Let nothing of a subscription, or of some shards, be handled until somebody resumes."

    def action(self, options: dict[str, Any]) -> Action:
        """Return the pause."""
        return Pause(_scope(options))


class ResumeShards(ActionSubcommand):
    """Ends a pause."""

    help = "End the pause of a subscription, or of some shards."

    def action(self, options: dict[str, Any]) -> Action:
        """Return the end of the pause."""
        return Resume(_scope(options))


class RedeliverRecords(ActionSubcommand):
    """Brings held records again."""

    help = "Deliver held records again now, and what is behind them."

    def action(self, options: dict[str, Any]) -> Action:
        """Return the redelivery."""
        return Redeliver(_scope(options))


class ReleaseLeases(ActionSubcommand):
    """Takes leases away."""

    help = (
        "Take the leases of shards from their owners; whoever looks first takes them. Not for Kafka groups."
    )

    def action(self, options: dict[str, Any]) -> Action:
        """Return the release."""
        return Release(_scope(options))


class SkipRecord(ActionSubcommand):
    """Retires one held record."""

    help = "Retire exactly one held record, with a reason; it is not handled and the checkpoint passes it."

    @classmethod
    def _add_subject(cls, parser: ArgumentParser) -> None:
        parser.add_argument("subscription", help="Its name, as `streams status` shows it.")
        parser.add_argument(
            "record", metavar="STREAM/SHARD@POSITION", help="The held record, as `streams status` names it."
        )

    def action(self, options: dict[str, Any]) -> Action:
        """Return the skip."""
        return Skip.named(options["subscription"], options["record"])


class DrainWorker(ActionSubcommand):
    """Lets a worker hand everything over."""

    help = "Let a worker hand everything over and take nothing, while it stays up; --undo lets it take again."

    @classmethod
    def _add_subject(cls, parser: ArgumentParser) -> None:
        parser.add_argument("worker", help="The beginning of its identity, or HOST:PROCESS.")
        parser.add_argument("--undo", action="store_true", help="Let it take shards again.")

    def action(self, options: dict[str, Any]) -> Action:
        """Return the drain, or its end."""
        action: Action = (Undrain if options["undo"] else Drain).named(options["worker"])
        return action
