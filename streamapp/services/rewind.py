"""Rewinding a subscription: plan, review, apply. The review's numbers are the numbers that are stored."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from django.db.models import Count
from django.db.models.functions import Now

from streamapp import registry
from streamapp.brokers.base import Broker, Source
from streamapp.conf import configuration
from streamapp.exceptions import InvalidPosition
from streamapp.models import Checkpoint, Rewind
from streamapp.positions import Position
from streamapp.records import Bounds, Shard
from streamapp.services.places import described
from streamapp.services.plans import Flag, Line, Plan
from streamapp.services.progress import Progress, progress
from streamapp.services.workers import is_live, owner
from streamapp.store.rewinds import Move, RewindStore

__all__ = ["Plan", "Progress", "apply", "plan", "plan_mounted", "progress"]


def plan(
    subscription: str,
    position: Position,
    shards: Collection[Shard] | None = None,
    *,
    broker: Broker,
    source: Source,
) -> Plan:
    """Work out what a rewind would write; changes nothing and asks the broker.

    Without `shards` it covers every shard of the present streams that has a checkpoint. A number
    outside of the log is moved to its nearest end and flagged, as far as its ends are numbers. Raises
    InvalidPosition when the position or `shards` name what isn't there, BrokerUnavailable when the
    broker doesn't answer.
    """
    if problem := broker.position_problem(position):
        raise InvalidPosition(problem)
    rows = _chosen(subscription, _rows(subscription, broker.shards(source)), shards)
    resolved = broker.resolve(position, list(rows))
    bounds = broker.bounds(list(resolved))
    lines = tuple(
        _line(row, resolved[shard], bounds.get(shard), broker)
        for shard, row in rows.items()
        if shard in resolved
    )
    return Plan(
        subscription=subscription,
        subscription_id=next(iter(rows.values())).subscription_id,
        broker=broker.alias,
        target=str(position),
        whole=shards is None,
        staying=len(rows) - len(lines),
        lines=lines,
    )


def plan_mounted(subscription: str, position: Position, shards: Collection[Shard] | None = None) -> Plan:
    """Plan with the broker and the source that STREAMAPP gives to the subscription."""
    mount = registry.mount(subscription)
    return plan(subscription, position, shards, broker=registry.broker(mount.broker), source=mount.source)


def apply(plan: Plan, *, user: Any = None, origin: str, reason: str = "") -> Rewind:
    """Write a reviewed plan in one transaction, or as a part of the one that is open.

    Raises StalePlan, and writes nothing, when another operator action moved one of its checkpoints
    in between. Running workers learn of it within a second or so.
    """
    moves = [Move(line.checkpoint, line.shard, line.revision, line.new) for line in plan.lines]
    store = RewindStore(configuration().DATABASE, partial(described, plan.broker))
    return store.apply(
        plan.subscription_id, moves, target=plan.target, user=user, origin=origin, reason=reason
    )


def _rows(subscription: str, present: Sequence[Shard]) -> dict[Shard, Any]:
    checkpoints = Checkpoint.objects.using(configuration().DATABASE).filter(subscription__name=subscription)
    rows = checkpoints.select_related("lease__worker").annotate(now=Now(), held_count=Count("held"))
    stored = {row.key: row for row in rows}
    return {shard: stored[shard] for shard in present if shard in stored}


def _chosen(subscription: str, rows: dict[Shard, Any], shards: Collection[Shard] | None) -> dict[Shard, Any]:
    wanted = rows.keys() if shards is None else set(shards)
    if missing := sorted(str(shard) for shard in wanted - rows.keys()):
        raise InvalidPosition(
            f"{subscription} has no checkpoint for {', '.join(missing)} in the streams as they are now. "
            "Choose among the shards that `manage.py streams status` lists as present."
        )
    if not rows:
        raise InvalidPosition(
            f"{subscription} has no checkpoint yet, so there is nothing to rewind. It gets one at its first "
            "start: where START_AT says, else where its group has committed, else at the end."
        )
    return {shard: row for shard, row in rows.items() if shard in wanted}


def _line(row: Any, asked: int, bounds: Bounds | None, broker: Broker) -> Line:
    new = _within(asked, bounds)
    flags = [Flag.BEYOND_RETENTION] * (asked < new) + [Flag.BEYOND_END] * (asked > new)
    flags += [Flag.UNCHANGED] * (row.position == new and not row.held_count)
    flags += [Flag.HOLDING] * _comes_again(row, new, bounds) + [Flag.UNKNOWN] * (bounds is None)
    flags += [] if is_live(owner(row), row.now) else [Flag.UNREAD]
    between = broker.records_between(_within(row.position, bounds), new)
    return Line(
        checkpoint=row.pk,
        shard=str(row),
        old=row.position,
        new=new,
        old_described=broker.describe(row.position),
        new_described=broker.describe(new),
        between=between,
        flags=tuple(flags),
        revision=row.revision,
        held=row.held_count,
    )


def _comes_again(row: Any, new: int, bounds: Bounds | None) -> bool:
    """Tell whether handled records behind a held one lie behind the new position too."""
    return row.held_count > 0 and (
        new <= row.position or bounds is None or bounds.is_moment or new < bounds.end
    )


def _within(position: int, bounds: Bounds | None) -> int:
    if bounds is None:
        return position
    kept = max(position, bounds.first)
    return kept if bounds.is_moment else min(kept, bounds.end)
