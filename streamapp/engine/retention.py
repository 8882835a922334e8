"""Checkpoints that retention is about to pass: seen by the age of their records and by where logs begin."""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.db import Error as DatabaseError

from streamapp.brokers.base import Broker, Kept
from streamapp.brokers.reading import Behind
from streamapp.engine.consumer import Consumer
from streamapp.engine.shard import ShardState
from streamapp.exceptions import BrokerUnavailable
from streamapp.observability.logs import Fields
from streamapp.records import Shard
from streamapp.store.alerts import AlertKind, Warned

logger = logging.getLogger("streamapp.retention")
LOOK_SECONDS = 60.0
LOOKS = 60
"""How many looks back the beginning of a log is remembered."""
SHARE = 0.8
"""Of the retention: records that are older are about to go."""
PATIENCE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Standing:
    """A checkpoint, and how old the record is that it stands in front of; None where nobody knows."""

    checkpoint: int
    position: int
    age: float | None


@dataclass(slots=True)
class Danger:
    """Why a checkpoint is about to be passed, and since when that is known."""

    standing: Standing
    since: float
    text: str


@dataclass(slots=True)
class Beginnings:
    """Where a log began at the last looks."""

    seen: deque[int] = field(default_factory=lambda: deque(maxlen=LOOKS))

    def moved(self, first: int) -> int:
        """Take where it begins now; return how far that has moved within the last looks."""
        self.seen.append(first)
        return first - self.seen[0]


class RetentionWatch:
    """Looks once a minute at all shards that are held, with one question a subscription."""

    def __init__(self, broker_of: Mapping[str, Broker], clock: Callable[[], float]) -> None:
        """Take the brokers by alias, and a clock in seconds."""
        self._brokers = broker_of
        self._clock = clock
        self._beginnings: dict[tuple[str, Shard], Beginnings] = {}
        self._dangers: dict[tuple[str, Shard], Danger] = {}

    def look_once(self, consumer: Consumer) -> bool:
        """Look at one subscription; False if its broker couldn't be asked, which disturbs nobody."""
        try:
            self._look(consumer)
        except (BrokerUnavailable, DatabaseError) as error:
            fields = Fields(subscription=consumer.mount.name, error=error)
            logger.warning("Retention not looked at, trying again. %s", fields)
            return False
        return True

    def found(self, consumer: Consumer) -> list[Warned]:
        """Return what the last look has found of the shards that are still held there."""
        now, name = self._clock(), consumer.mount.name
        held = [(shard, self._dangers.get((name, shard))) for shard in list(consumer.holdings.states)]
        return [
            Warned(
                danger.standing.checkpoint,
                AlertKind.EXPIRING,
                danger.standing.position,
                now - danger.since,
                danger.text,
            )
            for _, danger in held
            if danger
        ]

    def _look(self, consumer: Consumer) -> None:
        lags = consumer.reading.lags(PATIENCE_SECONDS)
        with consumer.holdings.lock:
            states = [state for state in consumer.holdings.states.values() if state.target is None]
            standings = {state.shard: _standing(state, lags.get(state.shard)) for state in states}
        kept = self._brokers[consumer.mount.broker].kept(list(standings)) if standings else {}
        for shard, standing in standings.items():
            self._judge(consumer, shard, standing, kept.get(shard, Kept()))

    def _judge(self, consumer: Consumer, shard: Shard, standing: Standing, kept: Kept) -> None:
        key = consumer.mount.name, shard
        moved = 0
        if kept.first is not None:
            moved = self._beginnings.setdefault(key, Beginnings()).moved(kept.first)
        text = danger_of(standing, kept, moved)
        known = self._dangers.pop(key, None)
        if text:
            self._dangers[key] = Danger(standing, known.since if known else self._clock(), text)
        if text and not known:
            position = consumer.describe(standing.position)
            fields = Fields(subscription=consumer.mount.name, shard=shard, position=position, reason=text)
            logger.warning("Retention is about to pass the checkpoint. %s", fields)


def danger_of(standing: Standing, kept: Kept, moved: int) -> str:
    """Say why retention is about to pass a checkpoint, or nothing; `moved` is how far the log began to go."""
    if kept.end is not None and standing.position >= kept.end:
        return ""
    if kept.seconds is not None and standing.age is not None and standing.age >= SHARE * kept.seconds:
        return f"its record is {_span(standing.age)} old, the log keeps {_span(kept.seconds)}"
    if kept.first is not None and moved > 0 and standing.position - kept.first <= moved:
        ahead = standing.position - kept.first
        return f"the log begins {ahead} in front of it and has lost {moved} within the hour"
    return ""


def _span(seconds: float) -> timedelta:
    return timedelta(seconds=round(seconds))


def _standing(state: ShardState, behind: Behind | None) -> Standing:
    """Take the age of the oldest unsettled record; where none was delivered, of the next one to read."""
    oldest = state.watermark.oldest()
    age = None
    if oldest and oldest.timestamp:
        age = (datetime.now(UTC) - oldest.timestamp).total_seconds()
    elif not oldest and behind and behind.milliseconds is not None:
        age = behind.milliseconds / 1000
    return Standing(state.checkpoint, state.watermark.lowest(), age)
