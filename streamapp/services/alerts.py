"""What live workers warn of, and what retention has taken, for whoever looks."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.models import Alert, Skip
from streamapp.models.worker import WorkerState
from streamapp.services.places import described
from streamapp.services.wording import amount, span

RECENT = timedelta(days=7)
"""For how long a skip is told without being asked for."""
SHOWN_AT_MOST = 50


@dataclass(frozen=True, slots=True)
class Telling:
    """An alert in words: of which shard and position, for how long, and by which worker."""

    kind: str
    shard: str
    position: int
    described: str
    seconds: float
    worker: str
    text: str

    def __str__(self) -> str:
        """Say it in one line."""
        more = f": {self.text.splitlines()[-1].strip()}" if self.text else ""
        return f"{self.shard} at {self.described}: {_WORDS[self.kind]} for {span(self.seconds)}{more}"


@dataclass(frozen=True, slots=True)
class Loss:
    """A skip in words: from where to where reading went on, and how many records that left out, at most."""

    shard: str
    old: str
    new: str
    records: int | None
    policy: str
    skipped_at: datetime
    seconds: float

    def __str__(self) -> str:
        """Say it in one line."""
        lost = "an unknown number of records" if self.records is None else amount(self.records, "record")
        places = f"from {self.old} to {self.new}"
        return f"{self.shard} skipped {lost} {places} {span(self.seconds)} ago: the log had lost its place"


_WORDS = {
    "stuck": "the handler has been stuck",
    "expiring": "retention has been about to pass the checkpoint",
    "stopped": "the log has lost the place, standing still",
}


def live_alerts() -> QuerySet[Any]:
    """Return the alerts of workers that live, with all that `telling` asks for, oldest first."""
    rows = Alert.objects.using(configuration().DATABASE).filter(
        worker__state=WorkerState.ALIVE, worker__heartbeat_at__gt=Now() - F("worker__ttl")
    )
    related = rows.select_related("checkpoint__subscription", "worker").annotate(now=Now())
    return related.order_by("since", "pk")


def telling(alert: Any) -> Telling:
    """Put a row of `live_alerts` into words."""
    checkpoint = alert.checkpoint
    return Telling(
        kind=alert.kind,
        shard=str(checkpoint),
        position=alert.position,
        described=described(checkpoint.subscription.broker, alert.position),
        seconds=(alert.now - alert.since).total_seconds(),
        worker=str(alert.worker),
        text=alert.text,
    )


def recent_skips() -> QuerySet[Any]:
    """Return what was skipped within the last days, with all that `loss` asks for, latest first."""
    rows = Skip.objects.using(configuration().DATABASE).filter(skipped_at__gt=Now() - RECENT)
    return rows.select_related("checkpoint__subscription").annotate(now=Now()).order_by("-skipped_at", "-pk")


def loss(skip: Any) -> Loss:
    """Put a row of `recent_skips` into words."""
    broker = skip.checkpoint.subscription.broker
    return Loss(
        shard=str(skip.checkpoint),
        old=described(broker, skip.old_position),
        new=described(broker, skip.new_position),
        records=skip.records,
        policy=skip.policy,
        skipped_at=skip.skipped_at,
        seconds=(skip.now - skip.skipped_at).total_seconds(),
    )


def lines(told: Iterable[Telling | Loss]) -> str:
    """Write one a line."""
    return "\n".join(map(str, told))


def with_alerts(checkpoints: QuerySet[Any]) -> QuerySet[Any]:
    """Narrow checkpoints to those of which a live worker warns."""
    return checkpoints.filter(Exists(live_alerts().filter(checkpoint=OuterRef("pk")).order_by()))
