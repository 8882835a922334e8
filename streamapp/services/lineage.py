"""How far a shard's life has come, and what the child of a split or merge waits for."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet

from streamapp.conf import configuration
from streamapp.models import Checkpoint
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.services.held import with_first_held
from streamapp.services.places import described

Key = tuple[int, Shard]
"""A checkpoint's subscription and shard."""


class Stage(StrEnum):
    """Whether a shard is there to be read."""

    OPEN = "open"
    WAITING = "waiting"
    """A parent isn't finished."""
    FINISHED = "finished"
    """Read to its end, with everything settled."""
    RETIRED = "retired"
    """Its stream has lost it before it was finished."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A parent that must be finished first, and where its first held record stands, if it holds one.

    `checkpoint` is the id of the parent's checkpoint, `position` the number of the place that `held` says.
    """

    parent: str
    held: str | None
    reason: str
    checkpoint: int
    position: int | None

    def __str__(self) -> str:
        """Say it in words."""
        return self.parent if self.held is None else f"{self.parent} (held at {self.held}: {self.why})"

    @property
    def why(self) -> str:
        """Return why the record is held."""
        return self.reason or "no reason given"


def stage(row: Checkpoint, waits: Iterable[Wait]) -> Stage:
    """Say how far the shard of a checkpoint has come; `waits` is what `waits_of` found for it."""
    if row.position == SHARD_END:
        return Stage.FINISHED
    if row.retired_at is not None:
        return Stage.RETIRED
    return Stage.WAITING if list(waits) else Stage.OPEN


def waits_of(rows: Iterable[Checkpoint]) -> dict[int, tuple[Wait, ...]]:
    """Return what each of these checkpoints waits for, by id; those that wait for nothing are left out.

    One query for all, and none where no shard has parents; select `subscription` with the rows.
    """
    children = [row for row in rows if row.parents and row.position != SHARD_END and row.retired_at is None]
    if not children:
        return {}
    unfinished = {_key(row, row.shard): row for row in _unfinished_parents(children)}
    found = {
        row.pk: tuple(
            _wait(unfinished[key]) for parent in row.parents if (key := _key(row, parent)) in unfinished
        )
        for row in children
    }
    return {pk: waits for pk, waits in found.items() if waits}


def _unfinished_parents(children: list[Checkpoint]) -> QuerySet[Any]:
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(
        subscription__in={row.subscription_id for row in children},
        shard__in={parent for row in children for parent in row.parents},
        retired_at=None,
    )
    return with_first_held(rows.exclude(position=SHARD_END).select_related("subscription"))


def _key(row: Checkpoint, shard: str) -> Key:
    return row.subscription_id, Shard(row.stream, shard, row.incarnation)


def _wait(parent: Any) -> Wait:
    first = parent.held_first
    held = None if first is None else described(parent.subscription.broker, first)
    return Wait(parent.shard, held, parent.held_reason or "", parent.pk, first)
