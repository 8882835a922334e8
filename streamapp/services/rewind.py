"""Rewinding a subscription: plan, review, apply. The review's numbers are the numbers that are stored."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from streamapp import registry
from streamapp.brokers.base import Broker, Source
from streamapp.conf import configuration
from streamapp.exceptions import InvalidPosition
from streamapp.models import Checkpoint, Rewind
from streamapp.positions import Position
from streamapp.records import Shard
from streamapp.services.collector import collector_at_rest
from streamapp.services.flags import Flag
from streamapp.services.places import described
from streamapp.services.planning import Planning
from streamapp.services.plans import Left, Plan
from streamapp.services.progress import Progress, progress
from streamapp.services.targets import BeforeRewind, Everywhere, Target, load
from streamapp.store.rewinds import Move, RewindStore

__all__ = [
    "Plan",
    "Progress",
    "apply",
    "numbered",
    "plan",
    "plan_again",
    "plan_mounted",
    "plan_undo",
    "progress",
]


def plan(
    subscription: str,
    target: Position | Target,
    shards: Collection[Shard] | None = None,
    *,
    broker: Broker,
    source: Source,
    replay_from: Position | None = None,
) -> Plan:
    """Work out what a rewind would write; changes nothing and asks the broker.

    Without `shards` it covers every shard of the present streams that has a checkpoint. A number
    outside of the log is moved to its nearest end and flagged, as far as its ends are numbers, unless
    the target refuses that. What was split or merged from a shard that is read again is covered too
    and waits for it. Raises InvalidPosition when the target or `shards` name what isn't there,
    BrokerUnavailable when the broker doesn't answer.
    """
    meant = target if isinstance(target, Target) else Everywhere(target)
    with collector_at_rest():
        return Planning(subscription, meant, broker, replay_from).plan(broker.lineage(source), shards)


def plan_mounted(
    subscription: str, target: Position | Target, shards: Collection[Shard] | None = None
) -> Plan:
    """Plan with the broker and the source that STREAMAPP gives to the subscription."""
    mount = registry.mount(subscription)
    broker = registry.broker(mount.broker)
    return plan(
        subscription, target, shards, broker=broker, source=mount.source, replay_from=mount.replay_from
    )


def plan_undo(rewind: Rewind) -> Plan:
    """Plan to bring every shard of a rewind back to where it stood before; as `plan_mounted`."""
    name = rewind.subscription.name
    mount = registry.mount(name)
    present = set(registry.broker(mount.broker).lineage(mount.source))
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(rewound__rewind=rewind)
    moved = {row.key for row in rows}
    if not moved & present:
        raise InvalidPosition(f"No stream has any shard of rewind {rewind.pk} any more: nothing to undo.")
    gone = tuple(Left(str(shard), Flag.GONE) for shard in sorted(moved - present))
    planned = plan_mounted(name, BeforeRewind(rewind.pk), moved & present)
    return replace(planned, left=(*planned.left, *gone), undoes=rewind.pk)


def numbered(number: int) -> Rewind:
    """Return the rewind with that number. Raises InvalidPosition if there is none."""
    rows = Rewind.objects.using(configuration().DATABASE).select_related("subscription")
    if (row := rows.filter(pk=number).first()) is None:
        raise InvalidPosition(f"There is no rewind {number}. The admin lists all.")
    return row


def plan_again(reviewed: Plan) -> Plan:
    """Plan what was reviewed before, from where the shards stand now."""
    if reviewed.undoes is not None:
        return plan_undo(numbered(reviewed.undoes))
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(pk__in=reviewed.chosen)
    chosen = None if reviewed.whole else [row.key for row in rows]
    return plan_mounted(reviewed.subscription, load(list(reviewed.asked)), chosen)


def apply(plan: Plan, *, user: Any = None, origin: str, reason: str = "") -> Rewind:
    """Write a reviewed plan in one transaction, or as a part of the one that is open.

    Raises StalePlan, and writes nothing, when one of its checkpoints was rewound in between, one of
    their records was skipped, or one of its shards was split or merged. Running workers learn of it
    within a second or so.
    """
    moves = [Move(line.checkpoint, line.shard, line.revision, line.new) for line in plan.lines]
    store = RewindStore(configuration().DATABASE, partial(described, plan.broker))
    return store.apply(
        plan.subscription_id,
        moves,
        datetime.fromisoformat(plan.reviewed_at),
        target=plan.target,
        user=user,
        origin=origin,
        reason=reason,
        undoes_id=plan.undoes,
    )
