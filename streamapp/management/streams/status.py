"""`manage.py streams status`."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from streamapp.management.streams.subcommand import Exit, Subcommand
from streamapp.management.streams.table import table
from streamapp.services.lineage import Stage
from streamapp.services.shard_status import ShardStatus
from streamapp.services.status import SubscriptionStatus, status
from streamapp.services.wording import amount, span

HEADINGS = (
    "shard",
    "owner",
    "worker",
    "position",
    "epoch",
    "lag (records)",
    "lag (time)",
    "sampled",
    "held",
    "moved",
)
WATCH_SECONDS = 2
CLEAR_SCREEN = "\x1b[2J\x1b[H"


class Status(Subcommand):
    """Shows where every shard stands."""

    help = "Show owner, position, lag, held records and when the position last moved, for every shard."

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("subscription", nargs="*", help="Only these; all without one.")
        parser.add_argument("--json", action="store_true", help="Print one JSON array and nothing else.")
        parser.add_argument(
            "--watch", action="store_true", help=f"Show it again every {WATCH_SECONDS} seconds, until Ctrl-C."
        )

    def run(self, options: dict[str, Any]) -> Exit:
        """Show the status once, or again and again."""
        try:
            self.show(options)
            while options["watch"]:
                time.sleep(WATCH_SECONDS)
                self.write(CLEAR_SCREEN if not options["json"] else "")
                self.show(options)
        except KeyboardInterrupt:
            self.write("")
        return Exit.DONE

    def show(self, options: dict[str, Any]) -> None:
        """Show the status once."""
        found = status(options["subscription"])
        if options["json"]:
            self.write(json.dumps([subscription.to_json() for subscription in found]))
            return
        for subscription in found:
            self.write(_paragraph(subscription))
        if not found:
            self.write('No subscription yet. Add one to STREAMAPP["SUBSCRIPTIONS"] and start `runconsumers`.')


def _paragraph(subscription: SubscriptionStatus) -> str:
    owned = "  NOT MOUNTED" if subscription.orphan else ""
    lines = [f"{subscription.name}  {subscription.broker}: {subscription.streams}{owned}"]
    lines += [f"  ! {subscription.problem}"] if subscription.problem else []
    lines += [f"  ! {subscription.paused}"] if subscription.paused else []
    if subscription.shards:
        rows = table(HEADINGS, [_row(shard) for shard in subscription.shards])
        lines += [f"  {line}" for line in rows.splitlines()]
    lines += [f"  ! {_holds(shard)}" for shard in subscription.shards if shard.held]
    lines += [f"  ! {shard.shard} {shard.paused}" for shard in subscription.shards if shard.paused]
    lines += [f"  ! {_waits(shard)}" for shard in subscription.shards if shard.waits_for]
    lines += [f"  ! {alert}" for alert in subscription.alerts]
    lines += [f"  ! {_is_passed(shard)}" for shard in subscription.shards if shard.lost]
    lines += [f"  ! {skip}" for skip in subscription.skips]
    lines += _set_aside(subscription)
    gone = sum(shard.present is False for shard in subscription.shards)
    lines += [f"  ! {amount(gone, 'checkpoint')} of shards that no longer exist."] if gone else []
    return "\n".join([*lines, ""])


def _set_aside(subscription: SubscriptionStatus) -> Iterator[str]:
    if subscription.quarantined:
        many = amount(subscription.quarantined, "record")
        yield f"  ! {many} in quarantine: `streams quarantine list` shows which."
    if subscription.dead_letters:
        many = amount(subscription.dead_letters, "dead letter")
        yield f"  ! {many}: `streams deadletters list` shows which."


def _holds(shard: ShardStatus) -> str:
    reason = shard.held_reason or "no reason given"
    return f"{shard.shard} waits for its held record {shard.held_described}: {reason}"


def _is_passed(shard: ShardStatus) -> str:
    lost = amount(shard.lost or 0, "record")
    return f"{shard.shard} has lost {lost} to retention already, and nobody reads it"


def _waits(shard: ShardStatus) -> str:
    return f"{shard.shard} waits for {', '.join(map(str, shard.waits_for))}"


def _row(shard: ShardStatus) -> tuple[str, ...]:
    unknown = "" if shard.stage is Stage.FINISHED else "?"
    return (
        f"{shard.shard} (gone)" if shard.present is False else shard.shard,
        shard.owner or "-",
        _read_by(shard),
        shard.described,
        str(shard.epoch),
        unknown if shard.lag_records is None else f"{shard.lag_records:,}",
        unknown if shard.lag_seconds is None else span(shard.lag_seconds),
        "-" if shard.lag_age_seconds is None else f"{span(shard.lag_age_seconds)} ago",
        f"{shard.held:,}",
        f"{span(shard.age_seconds)} ago",
    )


def _read_by(shard: ShardStatus) -> str:
    """Return the state of the worker, or why the shard needs none."""
    if shard.retired_seconds is not None:
        retired = f"retired {span(shard.retired_seconds)} ago"
        return f"finished, {retired}" if shard.stage is Stage.FINISHED else retired
    return shard.worker_state if shard.stage is Stage.OPEN else str(shard.stage)
