"""A dry run of a record that is held in its shard: the handler is called, and nothing of it stays."""

from contextlib import AbstractContextManager

from django.db import transaction

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.models import HeldRecord, Where
from streamapp.services import dry_runs
from streamapp.services.actions.base import Review
from streamapp.services.actions.skip import OfHeldRecord
from streamapp.store.dry_runs import DryRunStore
from streamapp.store.operating import OperatorStore


class DryRunHeld(OfHeldRecord):
    """Orders a dry run of one held record; `ordered` is its number afterwards."""

    name = "dry run"
    permission = dry_runs.PERMISSION
    ordered: int | None = None

    def review(self) -> Review:
        """Refuse a record that isn't held any more, and a subscription that doesn't allow it."""
        using, name = configuration().DATABASE, self.checkpoint.subscription.name
        held = HeldRecord.objects.using(using).filter(checkpoint=self.checkpoint, position=self.position)
        if not held.exists():
            raise ActionRefused(f"{self.record} isn't held any more, so there is nothing to dry run.")
        effects = tuple(dry_runs.effects(name))
        return Review(self.name, name, self.record, effects, "held", "asked for, nothing of it will be kept")

    def _locked(self, store: OperatorStore) -> AbstractContextManager[None]:  # noqa: ARG002
        return transaction.atomic(using=configuration().DATABASE)

    def _write(self, store: OperatorStore) -> None:
        place = self.checkpoint.key, self.position
        add = DryRunStore(configuration().DATABASE).add
        self.ordered = add(self.checkpoint.subscription.name, Where.SHARD, place, self.record, store.asker)
