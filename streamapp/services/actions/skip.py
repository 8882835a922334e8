"""Skipping one held record: it is retired as a drop, with the operator's reason."""

from contextlib import AbstractContextManager
from typing import Self

from django.db.models.functions import Now

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.models import Checkpoint, HeldRecord, SkippedRecord
from streamapp.services.actions.base import Action, Review
from streamapp.services.actions.scope import Scope
from streamapp.services.places import described
from streamapp.services.workers import is_live, owner
from streamapp.store.operating import OperatorStore


class OfHeldRecord(Action):
    """What is done to exactly one record that is held now."""

    def __init__(self, checkpoint: Checkpoint, position: int) -> None:
        """Take the shard's row, with its subscription and its lease's worker, and the record's position."""
        self.checkpoint = checkpoint
        self.position = position

    @classmethod
    def named(cls, subscription: str, record: str) -> Self:
        """Find a held record by its text form, `orders/3@1200`; raises ActionRefused if it isn't held."""
        shard, _, place = record.rpartition("@")
        if not shard or not place:
            raise ActionRefused(
                f"{record!r} names no record. Write the shard and the position: orders/3@1200."
            )
        scope = Scope.of(subscription, [shard])
        [row] = scope.rows()
        alias = row.subscription.broker
        for held in row.held.using(configuration().DATABASE):
            if described(alias, held.position) == place:
                return cls(row, held.position)
        raise _not_held(f"{row}@{place}")

    @property
    def record(self) -> str:
        """Name the record for people."""
        return f"{self.checkpoint}@{described(self.checkpoint.subscription.broker, self.position)}"


class Skip(OfHeldRecord):
    """Retires a held record. Who holds its shard, or takes it next, carries it out."""

    name = "skip"
    permission = "streamapp.skip_checkpoint"
    needs_reason = True

    def review(self) -> Review:
        """Refuse a record that isn't held any more, or is being skipped already."""
        using = configuration().DATABASE
        record = {"checkpoint": self.checkpoint.pk, "position": self.position}
        if SkippedRecord.objects.using(using).filter(**record, ended_at=None).exists():
            raise ActionRefused(f"{self.record} is being skipped already.")
        held = HeldRecord.objects.using(using).filter(**record).first()
        if held is None:
            raise _not_held(self.record)
        reason = held.reason or "no reason given"
        effects = (
            f"Exactly this record is retired and not handled: {self.record}, held because: {reason}.",
            "A rewind to it, or to before it, brings it again.",
            self._when(),
        )
        name = self.checkpoint.subscription.name
        return Review(self.name, name, self.record, effects, f"held: {reason}", "skipped")

    def _when(self) -> str:
        rows = Checkpoint.objects.using(configuration().DATABASE).select_related("lease__worker")
        row = rows.annotate(now=Now()).get(pk=self.checkpoint.pk)
        if is_live(worker := owner(row), row.now):
            return f"{worker} settles it within a second or so."
        return "No live worker reads the shard: it is settled as soon as one takes it."

    def _locked(self, store: OperatorStore) -> AbstractContextManager[None]:
        subscription = self.checkpoint.subscription_id
        return store.one_at_a_time(subscription=subscription, checkpoints=[self.checkpoint.pk])

    def _write(self, store: OperatorStore) -> None:
        store.skip(self.checkpoint.pk, self.position)


def _not_held(record: str) -> ActionRefused:
    return ActionRefused(
        f"{record} isn't held, so there is nothing to do: it was settled, or its shard was taken or moved "
        "and it is delivered again. Look at what is held now."
    )
