"""Dry runs as operators order them and look at them."""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from streamapp import registry
from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.models import DryOutcome, DryRun
from streamapp.mount import Mount
from streamapp.records import Record, Shard
from streamapp.services.shown import ShownRecord, shown
from streamapp.services.workers import live_workers

PERMISSION = "streamapp.dryrun_letter"
GOOD = (DryOutcome.ACK, DryOutcome.DROP)
NOTHING_STAYS = (
    "A worker calls the handler and rolls back what it writes. Nothing is published, no checkpoint moves, no "
    "attempt is counted, and the record stays where it is.",
    "What the handler does outside of the database (a call of another service, a mail) is done for real.",
)


def is_allowed(subscription: str) -> bool:
    """Tell whether a subscription is mounted and allows dry runs."""
    mount = registry.mounts().get(subscription)
    return mount is not None and mount.dry_run


def allowing(subscription: str) -> Mount:
    """Return the mount of a subscription that allows dry runs; raises ActionRefused."""
    mount = registry.mounts().get(subscription)
    if mount is None:
        raise ActionRefused(f"{subscription} isn't mounted, so no worker could call its handler.")
    if not mount.dry_run:
        raise ActionRefused(
            f"{subscription} doesn't allow dry runs. If its handler does nothing that a rollback can't undo, "
            "set DRY_RUN = True in its entry of STREAMAPP['SUBSCRIPTIONS'] and restart the workers."
        )
    return mount


def effects(subscription: str) -> Sequence[str]:
    """Say what a dry run does, and when. Raises ActionRefused where it isn't allowed."""
    allowing(subscription)
    if live_workers([subscription]):
        return (*NOTHING_STAYS, "A live worker takes it up within a second or so, also while it is paused.")
    return (*NOTHING_STAYS, f"No live worker runs {subscription}: it waits until one does.")


def rows(numbers: Sequence[int]) -> "QuerySet[Any]":
    """Return dry runs with their workers, in the order in which they were asked for."""
    found = DryRun.objects.using(configuration().DATABASE).filter(pk__in=numbers)
    told: QuerySet[Any] = found.select_related("worker").annotate(now=Now()).order_by("pk")
    return told


def stands(row: Any) -> str:
    """Say how far a dry run is: requested, claimed, or what came of it. The row carries `now`."""
    if row.ended_at is not None:
        return str(DryOutcome(row.outcome).label)
    if row.claimed_until is not None and row.claimed_until >= row.now:
        return "claimed"
    return "requested"


def is_good(row: Any) -> bool:
    """Tell whether the record would have been settled by its handler."""
    return row.outcome in GOOD


@dataclass(frozen=True, slots=True)
class UnsentRecord:
    """A record that the handler would have published; `shown` is None for who may not see records, and where
    nobody knows what MASK hides, because the subscription isn't mounted.
    """

    destination: str
    size: int
    shown: ShownRecord | None


def unsent(row: Any, *, may_look: bool) -> list[UnsentRecord]:
    """Return what the handler would have published, without what MASK hides."""
    listed = [each for each in row.unsent if "destination" in each]
    mount = registry.mounts().get(row.subscription) if may_look else None
    return [UnsentRecord(e["destination"], e["bytes"], _shown(e, mount) if mount else None) for e in listed]


def left_out(row: Any) -> int:
    """Return how many records more would have been published than are kept."""
    return sum(each.get("more", 0) for each in row.unsent)


def values(row: Any) -> dict[str, Any]:
    """Return a dry run as plain values, without payloads."""
    sent = [{"destination": e.destination, "bytes": e.size} for e in unsent(row, may_look=False)]
    return {
        "id": row.pk,
        "subscription": row.subscription,
        "record": row.place,
        "state": stands(row),
        "outcome": row.outcome,
        "reason": row.said,
        "exception": row.exception,
        "message": row.message,
        "trace": row.trace,
        "milliseconds": row.milliseconds,
        "moves": row.moves,
        "unsent": sent,
        "unsent_left_out": left_out(row),
        "worker": str(row.worker or ""),
    }


def _shown(kept: Any, mount: Mount) -> ShownRecord:
    record = Record(
        shard=Shard(kept["destination"], ""),
        position=0,
        value=_bytes(kept["value"]),
        key=_bytes(kept["key"]),
        headers={name: _bytes(value) or b"" for name, value in kept["headers"].items()},
        timestamp=None,
    )
    return shown(record, _plain(mount), str)


def _plain(mount: Mount) -> Mount:
    """Return the mount with its masks only: its type is that of what it reads, not of what it publishes."""
    return replace(mount, decode=None)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
