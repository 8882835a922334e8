"""Records set aside for commands: which are meant, and each as plain values."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused, InvalidPosition
from streamapp.models import DeadLetter, DelayedRecord, Quarantined
from streamapp.positions import Ago, Moment, parse
from streamapp.services.places import described
from streamapp.services.set_aside.rows import as_delivered, broker_of, mounted, place_of, unit
from streamapp.services.shown import shown
from streamapp.store.set_aside import SetAside, arrived

BYTES = ("value", "edited_value", "key", "headers")


@dataclass(frozen=True, slots=True)
class Kind:
    """What is told of the rows of one table: since when they are there, and what else, short and whole."""

    model: SetAside
    since: str
    short: tuple[str, ...]
    more: tuple[str, ...]

    @property
    def unit(self) -> str:
        """Return what one row is called."""
        return unit(self.model)


LETTERS = Kind(
    DeadLetter,
    "given_up_at",
    ("origin", "attempts", "exception"),
    ("message", "trace", "first_failed_at"),
)
QUARANTINE = Kind(Quarantined, "quarantined_at", (), ())
DELAYED = Kind(
    DelayedRecord, "delayed_at", ("origin", "attempt", "due_at", "held_reason"), ("first_failed_at",)
)


def chosen(kind: Kind, subscription: str, since: str, ids: Sequence[int] = ()) -> "QuerySet[Any]":
    """Return the rows that are meant, oldest first: of a subscription, since a moment, by number.

    Empty means all. Raises InvalidPosition for a `since` that is no moment, ActionRefused for a number
    that is none of these.
    """
    rows: QuerySet[Any] = kind.model._default_manager.using(configuration().DATABASE).order_by("pk")
    if subscription:
        rows = rows.filter(subscription=subscription)
    if since:
        rows = rows.filter(created_at__gte=moment_of(since))
    if not ids:
        return rows
    found = rows.filter(pk__in=ids)
    if missing := set(ids) - set(found.values_list("pk", flat=True)):
        raise ActionRefused(
            f"No such {kind.unit}: {', '.join(map(str, sorted(missing)))}. `list` shows the numbers."
        )
    return found


def summaries(kind: Kind, rows: "QuerySet[Any]") -> Iterator[dict[str, Any]]:
    """Yield what a list shows of each row; no payloads."""
    using, brokers = configuration().DATABASE, dict[str, str]()
    for row in rows.defer(*BYTES).iterator(chunk_size=500):
        name = row.subscription
        if name not in brokers:
            brokers[name] = broker_of(name, using)
        yield {
            "id": row.pk,
            "subscription": name,
            "place": place_of(row, brokers[name]),
            **{field: getattr(row, field) for field in kind.short},
            "reason": row.reason,
            kind.since: row.created_at,
            "edited_by": row.edited_by,
        }


def whole(kind: Kind, row: Any) -> dict[str, Any]:
    """Return a row with what may be shown of its record, and of its edited copy.

    Where MASK hides fields there is no `value_base64`. Raises ActionRefused for a subscription that isn't
    mounted.
    """
    mount = mounted(row.subscription)
    same = kind.model._default_manager.using(configuration().DATABASE).filter(pk=row.pk)
    [summary] = summaries(kind, same)
    original, edited = (
        shown(record, mount, lambda position: described(mount.broker, position))
        for record in (arrived(row), as_delivered(row))
    )
    return {
        **summary,
        **{field: getattr(row, field) for field in kind.more},
        "record_time": row.timestamp,
        "key": original.key.text,
        "headers": dict(original.headers),
        "value": original.value.text,
        "value_base64": None if mount.mask or row.value is None else b64encode(row.value).decode(),
        "problem": original.value.problem,
        "edited": edited.value.text if row.edited_at else None,
    }


def moment_of(text: str) -> datetime:
    """Read a moment, or so long ago. Raises InvalidPosition."""
    position = parse(text)
    moment = position.moment(datetime.now(UTC)) if isinstance(position, Ago) else position
    if not isinstance(moment, Moment):
        raise InvalidPosition(f"{text} is no moment. Write 2026-11-01T00:00:00Z, or -8h.")
    return datetime.fromtimestamp(moment.milliseconds / 1000, UTC)
