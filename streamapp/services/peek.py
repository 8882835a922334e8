"""Looking at records of a subscription's shard: one at a place, those around it, by time, the last ones."""

from dataclasses import dataclass

from streamapp import registry
from streamapp.brokers.base import Broker
from streamapp.brokers.looking import Limits, Peeked, Stop, gone
from streamapp.exceptions import InvalidPosition
from streamapp.mount import Mount
from streamapp.positions import SHARD_END, parse
from streamapp.records import Shard
from streamapp.services.look_notes import Asked, notes
from streamapp.services.shown import ShownRecord, shown

RECORDS, MOST_RECORDS = 10, 100
"""How many records in front of a place and from it on are shown if nothing else is asked for, and at most."""
SIZE = 4 * 1024 * 1024
SECONDS = 10.0
TAIL = "latest"
RECENTLY = "-5m"
"""Where the tail is looked for if positions don't count records, so that nobody can go back from the end."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was found around a place. `asked`, `earlier` and `later` are places as the broker writes them.

    `here` is the position of the first record that isn't in front of the place. `earlier` is None where
    nothing can be in front, and where positions don't count records, so that nobody can go back.
    `counts` tells whether they do. `step` is how many records a look from `earlier` or `later` is for.
    `reads` counts what was spent of the shard's limited reads.
    """

    shard: Shard
    asked: str
    records: tuple[ShownRecord, ...]
    here: int | None
    earlier: str | None
    later: str | None
    step: int
    counts: bool
    reads: int
    notes: tuple[str, ...]
    mask: tuple[str, ...]


def counts_records(broker: Broker) -> bool:
    """Tell whether positions count records, so that what lies in front of a place can be looked at."""
    return broker.records_between(0, 1) is not None


def look(subscription: str, shard: Shard, text: str, *, before: int = RECORDS, after: int = RECORDS) -> Look:
    """Look at `after` records from a place on, and at those in front of it where positions count records.

    `text` is a place as the admin shows it, or a position that names nothing else than the shard. Blocks for
    10 seconds, and for as long again where the place is a moment or the end. Raises UnknownSubscription,
    InvalidPosition for a shard that isn't there or a place where no record can be, BrokerUnavailable when
    the broker doesn't answer.
    """
    mount = registry.mount(subscription)
    broker = registry.broker(mount.broker)
    counts = counts_records(broker)
    position = place_of(broker, shard, RECENTLY if text == TAIL and not counts else text)
    before = min(before, position) if counts and position != SHARD_END else 0
    peeked = broker.peek(shard, position - before, Limits(before + after, SIZE, SECONDS))
    if before and peeked.stop is Stop.BYTES and peeked.next <= position:
        before, peeked = 0, broker.peek(shard, position, Limits(after, SIZE, SECONDS))
    return _look(mount, broker, Asked(shard, position, before, before + after), peeked)


def _look(mount: Mount, broker: Broker, asked: Asked, peeked: Peeked) -> Look:
    counts = counts_records(broker)
    step = min(asked.records, MOST_RECORDS)
    back = max(0, peeked.begin - step) if counts and 0 < peeked.begin <= asked.start else None
    return Look(
        shard=asked.shard,
        asked=broker.describe(asked.position),
        records=tuple(shown(record, mount, broker.describe) for record in peeked.records),
        here=asked.here(peeked),
        earlier=None if back is None else broker.describe(back),
        later=None if peeked.next == SHARD_END else broker.describe(peeked.next),
        step=step,
        counts=counts,
        reads=peeked.reads,
        notes=notes(asked, peeked, broker.describe),
        mask=mount.mask,
    )


def place_of(broker: Broker, shard: Shard, text: str) -> int:
    """Return the number of a place on a shard: as the broker writes it, or any position.

    Raises InvalidPosition, also for a position of another shard; BrokerUnavailable if the broker must be
    asked and doesn't answer.
    """
    try:
        return broker.read(text.strip())
    except InvalidPosition:
        position = parse(text)
    if problem := broker.position_problem(position):
        raise InvalidPosition(problem)
    found = broker.resolve(position, [shard])
    if shard not in found:
        raise gone(shard)
    return found[shard]
