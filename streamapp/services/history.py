"""Where checkpoints stood: the notes of their workers, one by one, and all of them at a moment."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.db.models import OuterRef, QuerySet, Subquery

from streamapp import registry
from streamapp.conf import configuration
from streamapp.exceptions import InvalidPosition
from streamapp.models import Checkpoint, History, RewoundShard
from streamapp.positions import EPOCH, Moment
from streamapp.services.places import described

SHOWN_AT_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Stood:
    """One checkpoint as it was at an aware moment; it stood there until the shard's next note.

    `described` is the position as its broker writes it. A lag is None where it wasn't known.
    """

    shard: str
    at: datetime
    position: int
    described: str
    lag_records: int | None
    lag_seconds: float | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values; the moment as ISO 8601 with its zone."""
        return {**asdict(self), "at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class Past:
    """Notes since an aware moment, newest last; with `cut` older ones than these are left out."""

    since: datetime
    notes: Sequence[Stood]
    cut: bool


def history(subscription: str, names: Collection[str], since: Moment) -> Past:
    """Return the notes of a subscription since a moment, or those of some shards; the broker isn't asked.

    Shards that their streams have no more are there too. Raises InvalidPosition for a shard without a
    checkpoint, UnknownSubscription.
    """
    begin = _aware(since)
    notes = History.objects.using(configuration().DATABASE).filter(
        checkpoint__in=_chosen(subscription, names), sampled_at__gte=begin
    )
    related = notes.select_related("checkpoint__subscription")
    newest = list(related.order_by("-sampled_at", "-pk")[: SHOWN_AT_MOST + 1])
    kept = [_stood(note) for note in reversed(newest[:SHOWN_AT_MOST])]
    return Past(begin, kept, len(newest) > SHOWN_AT_MOST)


def stood_at(checkpoints: "QuerySet[Checkpoint]", moment: Moment) -> dict[int, int | None]:
    """Return the last position known at a moment or before, by checkpoint: two looks into indexes a row.

    It is that of the last note, or of a rewind since: what is rewound without a worker has no notes.
    """
    notes = History.objects.filter(checkpoint=OuterRef("pk"), sampled_at__lte=_aware(moment))
    moves = RewoundShard.objects.filter(checkpoint=OuterRef("pk"), rewind__requested_at__lte=_aware(moment))
    noted, moved = notes.order_by("-sampled_at"), moves.order_by("-id")
    rows = checkpoints.annotate(
        noted=Subquery(noted.values("position")[:1]),
        noted_at=Subquery(noted.values("sampled_at")[:1]),
        moved=Subquery(moved.values("new_position")[:1]),
        moved_at=Subquery(moved.values("rewind__requested_at")[:1]),
    )
    found = rows.values_list("pk", "noted", "noted_at", "moved", "moved_at")
    return {
        pk: moved if moved_at and not (noted_at and noted_at > moved_at) else noted
        for pk, noted, noted_at, moved, moved_at in found
    }


def refuse_unstarted(subscription: str) -> NoReturn:
    """Say why a subscription has no checkpoint. Raises InvalidPosition or UnknownSubscription."""
    registry.mount(subscription)
    raise InvalidPosition(f"{subscription} has no checkpoint yet: run it once.")


def _chosen(subscription: str, names: Collection[str]) -> "QuerySet[Checkpoint]":
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(subscription__name=subscription)
    known = {row.pk: {str(row), row.shard} for row in rows}
    if not known:
        refuse_unstarted(subscription)
    if missing := sorted(set(names) - set().union(*known.values())):
        raise InvalidPosition(
            f"{subscription} has no checkpoint of a shard {', '.join(missing)}. "
            "`manage.py streams status` lists them."
        )
    return rows.filter(pk__in=[pk for pk, own in known.items() if own & set(names)]) if names else rows


def _stood(note: History) -> Stood:
    row = note.checkpoint
    seconds = None if note.milliseconds is None else note.milliseconds / 1000
    place = described(row.subscription.broker, note.position)
    return Stood(str(row), note.sampled_at, note.position, place, note.records, seconds)


def _aware(moment: Moment) -> datetime:
    return EPOCH + timedelta(milliseconds=moment.milliseconds)
