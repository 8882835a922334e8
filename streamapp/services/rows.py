"""Checkpoints as a plan looks at them: without model instances, because there may be ten thousand."""

from typing import NamedTuple

from django.db.models import BooleanField, CharField, Count, ExpressionWrapper, Q
from django.db.models.functions import Cast, Now

from streamapp.conf import configuration
from streamapp.models import Checkpoint, HeldRecord, Subscription
from streamapp.models.fields import decode_position
from streamapp.records import Shard
from streamapp.services.closing import Lineage
from streamapp.services.workers import live_workers

COLUMNS = ("stream", "shard", "incarnation", "pk", "subscription", "at", "revision", "is_read")


class Row(NamedTuple):
    """One checkpoint; `is_read` tells whether a live worker holds its lease."""

    pk: int
    subscription_id: int
    position: int
    revision: int
    held_count: int
    is_read: bool


def now_for(subscription: str) -> str:
    """Return the present moment by the database's clock, as ISO 8601; empty if there is no such row."""
    rows = Subscription.objects.using(configuration().DATABASE).filter(name=subscription)
    now = rows.annotate(now=Now()).values_list("now", flat=True).first()
    return now.isoformat() if now else ""


def rows_of(subscription: str, present: Lineage) -> dict[Shard, Row]:
    """Return the checkpoints of a subscription's present shards, in the order of the listing."""
    database = configuration().DATABASE
    checkpoints = Checkpoint.objects.using(database).filter(subscription__name=subscription)
    held = HeldRecord.objects.using(database).filter(checkpoint__subscription__name=subscription)
    counts = dict(held.order_by().values("checkpoint").annotate(n=Count("pk")).values_list("checkpoint", "n"))
    live = [worker.pk for worker in live_workers([subscription])]
    # The database compares: ten thousand identities of workers are slow to read.
    is_read = ExpressionWrapper(Q(lease__worker__in=live), output_field=BooleanField())
    found = checkpoints.annotate(is_read=is_read, at=Cast("position", CharField()))
    # Under plain tuples of the fields of a shard, which find it as well as another shard would.
    stored = {
        (stream, shard, made): Row(pk, owner, decode_position(at), revision, counts.get(pk, 0), bool(read))
        for stream, shard, made, pk, owner, at, revision, read in found.values_list(*COLUMNS)
    }
    return {shard: row for shard in present if (row := stored.get(shard)) is not None}
