"""How a plan is worked out: rows, target, bounds, lineage, flags."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from streamapp.brokers.base import Broker
from streamapp.exceptions import InvalidPosition
from streamapp.positions import SHARD_END, Position
from streamapp.records import Bounds, Shard
from streamapp.services.closing import Lineage, gated
from streamapp.services.flags import Flag
from streamapp.services.plans import Left, Line, Plan
from streamapp.services.remarks import Remarks
from streamapp.services.rows import Row, now_for, rows_of
from streamapp.services.targets import Asked, Target, dump

Rows = Mapping[Shard, Row]
FEW = 3


@dataclass(frozen=True, slots=True)
class Planning:
    """Makes the plan of one target; the broker is asked, nothing is changed."""

    subscription: str
    target: Target
    broker: Broker
    replay_from: Position | None

    def plan(self, lineage: Lineage, shards: Collection[Shard] | None) -> Plan:
        """Return the plan for the chosen shards, or all; see `streamapp.services.rewind.plan`."""
        reviewed_at = now_for(self.subscription)
        rows = rows_of(self.subscription, lineage)
        chosen = _chosen(self.subscription, rows, shards)
        asked = self.target.resolve(chosen, self.broker)
        waiting = gated(asked.positions, lineage) & rows.keys()
        moving = [shard for shard in rows if shard in asked.positions or shard in waiting]
        bounds = self._bounds(moving, asked)
        wanted = _wanted(moving, asked, bounds, waiting)
        self._refuse_behind(wanted, bounds)
        alone = _alone(wanted, rows, lineage)
        remarks = Remarks(self.target.is_moment, waiting, alone, asked.flags, self._kept_since(bounds))
        lines = tuple(
            self._line(shard, rows[shard], at, bounds.get(shard), remarks) for shard, at in wanted.items()
        )
        return self._made(chosen, lines, asked, lineage, whole=shards is None, reviewed_at=reviewed_at)

    def _bounds(self, moving: Sequence[Shard], asked: Asked) -> Mapping[Shard, Bounds]:
        """Ask for the bounds of those shards only of which the target hasn't asked."""
        others = [shard for shard in moving if shard not in asked.bounds]
        return {**asked.bounds, **self.broker.bounds(others)} if others else asked.bounds

    def _kept_since(self, bounds: Mapping[Shard, Bounds]) -> Mapping[Shard, int]:
        """Return the moment before which nothing is kept, for shards of which no first record is known."""
        shards = [shard for shard, found in bounds.items() if found.is_moment]
        kept = self.broker.kept(shards) if shards else {}
        return {shard: each.since for shard, each in kept.items() if each.since is not None}

    def _made(
        self,
        chosen: Rows,
        lines: tuple[Line, ...],
        asked: Asked,
        lineage: Lineage,
        *,
        whole: bool,
        reviewed_at: str,
    ) -> Plan:
        moved = {line.checkpoint for line in lines}
        left = {shard: flag for shard, flag in asked.staying.items() if chosen[shard].pk not in moved}
        named = moved | {chosen[shard].pk for shard in left}
        bare = [shard for shard in lineage if shard not in chosen] if whole else []
        left.update(dict.fromkeys(bare, Flag.NO_CHECKPOINT))
        return Plan(
            subscription=self.subscription,
            subscription_id=next(iter(chosen.values())).subscription_id,
            broker=self.broker.alias,
            reviewed_at=reviewed_at,
            target=str(self.target),
            whole=whole,
            staying=sum(row.pk not in named for row in chosen.values()),
            lines=lines,
            left=tuple(Left(str(shard), flag) for shard, flag in left.items()),
            chosen=() if whole else tuple(row.pk for row in chosen.values()),
            asked=tuple(dump(self.target)),
            words=tuple(self.target.words()),
            echo=self.target.echo,
            replay_from=str(self.replay_from or ""),
        )

    def _refuse_behind(self, wanted: Mapping[Shard, int], bounds: Mapping[Shard, Bounds]) -> None:
        """Refuse numbers behind the ends of their logs where the operator hasn't allowed to move them."""
        if self.target.clamps:
            return
        behind = [shard for shard, at in wanted.items() if at > _within(at, bounds.get(shard))]
        if behind:
            ends = (f"{shard} ends at {self.broker.describe(bounds[shard].end)}" for shard in behind[:FEW])
            more = f" and {len(behind) - FEW} more" if len(behind) > FEW else ""
            raise InvalidPosition(
                f"Behind the end of the log: {', '.join(ends)}{more}. Give a position up to there, or allow "
                "that it is moved to the end."
            )

    def _line(self, shard: Shard, row: Row, asked: int, bounds: Bounds | None, remarks: Remarks) -> Line:
        new = _within(asked, bounds)
        between = self.broker.records_between(_within(row.position, bounds), new)
        flags = remarks.on(shard, row, asked, new, bounds)
        name = f"{shard.stream}/{shard.id}"
        return Line(row.pk, name, row.position, new, between, flags, row.revision, row.held_count)


def _chosen(subscription: str, rows: Rows, shards: Collection[Shard] | None) -> Rows:
    wanted = None if shards is None else set(shards)
    if missing := sorted(str(shard) for shard in (wanted or set()) - rows.keys()):
        raise InvalidPosition(
            f"{subscription} has no checkpoint for {', '.join(missing)} in the streams as they are now. "
            "Choose among the shards that `manage.py streams status` lists as present."
        )
    if not rows:
        raise InvalidPosition(
            f"{subscription} has no checkpoint yet, so there is nothing to rewind. It gets one at its first "
            "start: where START_AT says, else where its group has committed, else at the end."
        )
    if wanted is None:
        return rows
    if not wanted:
        raise InvalidPosition(
            f"None of the chosen shards is one of {subscription} any more. Choose among those there are now."
        )
    return {shard: row for shard, row in rows.items() if shard in wanted}


def _wanted(
    moving: Sequence[Shard], asked: Asked, bounds: Mapping[Shard, Bounds], waiting: set[Shard]
) -> dict[Shard, int]:
    """Return the place of its own for each, or the first record for what waits and has none."""
    own = asked.positions
    firsts = {shard: bounds[shard].first if shard in bounds else 0 for shard in waiting}
    unplaced = {shard: first for shard, first in firsts.items() if own.get(shard) in (None, SHARD_END)}
    return {shard: unplaced[shard] if shard in unplaced else own[shard] for shard in moving}


def _alone(wanted: Mapping[Shard, int], rows: Rows, lineage: Lineage) -> set[Shard]:
    """Return the shards of which all parents will stand at their ends, and there is one."""
    born = [shard for shard in wanted if lineage.get(shard)]
    parents = {shard: [each for each in lineage[shard] if each in rows] for shard in born}
    return {
        shard
        for shard, some in parents.items()
        if some and all(wanted.get(each, rows[each].position) == SHARD_END for each in some)
    }


def _within(position: int, bounds: Bounds | None) -> int:
    if bounds is None or position == SHARD_END:
        return position
    if position < bounds.first:
        return bounds.first
    return bounds.end if position > bounds.end and not bounds.is_moment else position
