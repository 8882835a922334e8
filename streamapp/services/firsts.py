"""What stands first at the new positions of a plan, and what that says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from streamapp import registry
from streamapp.brokers.base import Broker
from streamapp.brokers.looking import Glance, Peeked, Stop
from streamapp.conf import configuration
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Checkpoint
from streamapp.mount import Mount
from streamapp.positions import SHARD_END
from streamapp.services.flags import Flag
from streamapp.services.plans import Line, Plan
from streamapp.services.shown import ShownRecord, shown
from streamapp.services.targets import load

AT_MOST = 100
"""How many shards one review looks at: a page of the admin has no more."""
SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Firsts:
    """By checkpoint: the first record, None where there is none now, and remarks that only a look can make.

    Shards that weren't looked at are in neither. `note` says why.
    """

    records: Mapping[int, ShownRecord | None] = field(default_factory=dict)
    flags: Mapping[int, tuple[Flag, ...]] = field(default_factory=dict)
    note: str = ""


def needs_a_look(plan: Plan) -> bool:
    """Tell whether only a look says what is at the new positions: where they don't count records."""
    return any(line.between is None for line in plan.lines)


def observed(plan: Plan, firsts: Firsts) -> Plan:
    """Return the plan with the remarks of a look beside its own."""
    lines = (
        line._replace(flags=(*line.flags, *firsts.flags.get(line.checkpoint, ()))) for line in plan.lines
    )
    return replace(plan, lines=tuple(lines))


def first_records(plan: Plan, lines: Sequence[Line]) -> Firsts:
    """Look at the first record of each of these lines of a plan, of a hundred at most, for three seconds.

    A broker that doesn't answer costs its records, not the review.
    """
    asked = {line.checkpoint: line for line in lines if line.new != SHARD_END}
    some = list(asked)[:AT_MOST]
    rows = Checkpoint.objects.using(configuration().DATABASE).in_bulk(some)
    mount = registry.mount(plan.subscription)
    broker = registry.broker(mount.broker)
    try:
        glances = broker.firsts({row.key: asked[pk].new for pk, row in rows.items()}, SECONDS)
    except BrokerUnavailable as error:
        return Firsts(note=f"First records can't be shown: {error}")
    found = {pk: glances[row.key] for pk, row in rows.items() if row.key in glances}
    records = {pk: _record(glance, mount, broker) for pk, glance in found.items()}
    is_moment = load(list(plan.asked)).is_moment if plan.asked else False
    flags = {pk: _flags(glance, asked[pk], is_moment=is_moment) for pk, glance in found.items()}
    return Firsts(records, flags, _note(len(asked), len(found)))


def _record(glance: Glance, mount: Mount, broker: Broker) -> ShownRecord | None:
    records = glance.records if isinstance(glance, Peeked) else ()
    return next((shown(record, mount, broker.describe) for record in records), None)


def _flags(glance: Glance, line: Line, *, is_moment: bool) -> tuple[Flag, ...]:
    """Return what isn't remarked yet; where positions count records the bounds of the log have told all."""
    if line.between is not None:
        return ()
    if not isinstance(glance, Peeked) or glance.begin != line.new:
        return (Flag.LOST,)
    nothing = is_moment and not glance.records and glance.stop is Stop.END
    return (Flag.NOTHING_YET,) if nothing and Flag.NOTHING_YET not in line.flags else ()


def _note(asked: int, found: int) -> str:
    if asked == found:
        return ""
    return (
        f"The first records of {found:,} of these {asked:,} shards are shown: a review looks at {AT_MOST} "
        f"shards at most, for {SECONDS:.0f} s. What wasn't reached in that time is left out."
    )
