"""All subscriptions at a glance, from the rows that workers write: no broker is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models.functions import Now

from streamapp import registry
from streamapp.conf import configuration
from streamapp.exceptions import ConfigurationError
from streamapp.models import AlertKind, Subscription, Worker
from streamapp.models.worker import WorkerState
from streamapp.services.pauses import Standstill, standstills
from streamapp.services.states import Facts, State, state_of, urgency
from streamapp.services.totals import (
    Totals,
    alert_totals,
    held_totals,
    shard_totals,
    waiting,
    with_set_aside,
)
from streamapp.services.workers import is_live


@dataclass(frozen=True, slots=True)
class Glance:
    """One subscription. `row` is None for one that is mounted and has never run.

    `standstill` says what an operator paused of it.
    """

    name: str
    row: Any
    mounted: bool
    state: State
    facts: Facts
    totals: Totals
    quarantined: int
    dead_letters: int
    standstill: Standstill = field(default_factory=Standstill)

    @property
    def order(self) -> tuple[int, float, str]:
        """Return what puts the most urgent first, and of equals the one that is the furthest behind."""
        return urgency(self.facts), -(self.totals.lag.seconds or 0.0), self.name


@dataclass(frozen=True, slots=True)
class Overview:
    """All subscriptions, the most urgent first. `problem` says why some may be missing.

    `now` is the moment of it by the database's clock, None while there is no row.
    """

    glances: Sequence[Glance]
    now: datetime | None
    problem: str = ""


def overview(name: str | None = None) -> Overview:
    """Look at all subscriptions, or at one; takes at most ten queries, whatever there is."""
    stored = _stored(name)
    mounted, problem = _mounted(name)
    glances = _glances(stored, mounted)
    glances += [_unstarted(each) for each in mounted - {row.name for row in stored}]
    now = stored[0].now if stored else None
    return Overview(sorted(glances, key=lambda glance: glance.order), now, problem)


def _stored(name: str | None) -> list[Any]:
    rows = with_set_aside(Subscription.objects.using(configuration().DATABASE).annotate(now=Now()))
    return list(rows if name is None else rows.filter(name=name))


def _mounted(name: str | None) -> tuple[set[str], str]:
    try:
        mounted = set(registry.mounts())
    except ConfigurationError as error:
        return set(), str(error)
    return mounted if name is None else mounted & {name}, ""


def _glances(stored: Sequence[Any], mounted: set[str]) -> list[Glance]:
    ids = [row.pk for row in stored]
    totals = shard_totals(ids, stored[0].now) if stored else {}
    workers = live_workers_by_name()
    paused = standstills(ids) if stored else {}
    facts = _facts(stored, totals, workers, paused)
    return [
        Glance(
            row.name,
            row,
            row.name in mounted,
            state_of(facts[row.pk]),
            facts[row.pk],
            totals.get(row.pk, Totals()),
            row.quarantined,
            row.dead_letters,
            paused.get(row.pk, Standstill()),
        )
        for row in stored
    ]


def _facts(
    stored: Sequence[Any],
    totals: Mapping[int, Totals],
    workers: Mapping[str, int],
    paused: Mapping[int, Standstill],
) -> Mapping[int, Facts]:
    ids = [row.pk for row in stored]
    held, alerts = held_totals(ids), alert_totals(ids)
    some_unread = [row.pk for row in stored if row.name in workers and totals.get(row.pk, Totals()).unread]
    waits = waiting(some_unread) if some_unread else {}
    found = {}
    for row in stored:
        own = totals.get(row.pk, Totals())
        found[row.pk] = Facts(
            workers=workers.get(row.name, 0),
            stuck=sum(alerts.get((row.pk, kind), 0) for kind in (AlertKind.STUCK, AlertKind.STOPPED)),
            expiring=alerts.get((row.pk, AlertKind.EXPIRING), 0),
            held=held.get(row.pk, 0),
            unread=own.unread - waits.get(row.pk, 0),
            paused=paused.get(row.pk, Standstill()).whole is not None,
            seconds=own.lag.seconds,
            records=own.lag.records,
        )
    return found


def live_workers_by_name() -> Mapping[str, int]:
    """Count the live workers that run each subscription; one query."""
    alive = Worker.objects.using(configuration().DATABASE).filter(state=WorkerState.ALIVE)
    counts: dict[str, int] = {}
    for worker in alive.annotate(now=Now()):
        for name in worker.subscriptions if is_live(worker, worker.now) else ():
            counts[name] = counts.get(name, 0) + 1
    return counts


def _unstarted(name: str) -> Glance:
    facts = Facts(workers=0)
    return Glance(name, None, True, state_of(facts), facts, Totals(), 0, 0)
