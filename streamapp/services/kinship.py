"""The splits and merges of a subscription that aren't over: what waits for what, and for which record."""

from dataclasses import dataclass
from typing import Any

from streamapp.services.lineage import Stage, Wait, stage, waits_of
from streamapp.services.totals import unfinished

LOOKED_AT = 1_000
"""How many children are looked at; a stream has that many at once only after thousands of splits."""


@dataclass(frozen=True, slots=True)
class Kin:
    """A shard that came of a split or merge, and the parents that it still waits for."""

    row: Any
    stage: Stage
    waits: tuple[Wait, ...]


def kinship(subscription: int) -> list[Kin]:
    """Return the children that aren't finished, those that wait first; at most two queries."""
    rows = unfinished().filter(subscription=subscription).exclude(parents=[])
    children = list(rows.select_related("subscription").order_by("pk")[:LOOKED_AT])
    waits = waits_of(children)
    kin = [Kin(row, stage(row, waits.get(row.pk, ())), waits.get(row.pk, ())) for row in children]
    return sorted(kin, key=lambda each: not each.waits)
