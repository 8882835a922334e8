"""Redelivering held records now, without a restart."""

from contextlib import AbstractContextManager
from typing import Any

from streamapp import registry
from streamapp.exceptions import ActionRefused
from streamapp.services.actions.base import Action, Review
from streamapp.services.actions.scope import Scope, named
from streamapp.services.held import with_first_held
from streamapp.services.places import described
from streamapp.services.wording import amount
from streamapp.store.audit import enumerated
from streamapp.store.operating import OperatorStore


class Redeliver(Action):
    """Lets shards with held records be read anew from their checkpoints."""

    name = "redeliver"
    permission = "streamapp.redeliver_checkpoint"

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def review(self) -> Review:
        """Refuse shards that hold nothing."""
        rows = self._holding()
        if not rows:
            what = self.scope.name if self.scope.chosen is None else self.scope.subject()
            raise ActionRefused(f"{what} holds no record, so there is nothing to redeliver.")
        self._refuse_process()
        alias = self.scope.subscription.broker
        firsts = enumerated(f"{row}@{described(alias, row.held_first)}" for row in rows)
        effects = (f"{amount(len(rows), 'shard')} with held records: {firsts}.", self._what_comes())
        old = enumerated((f"{row}: epoch {row.epoch}" for row in rows), "\n")
        new = enumerated((f"{row}: epoch {row.epoch + 1}" for row in rows), "\n")
        return Review(self.name, self.scope.name, named(rows), (*effects, self.scope.followers()), old, new)

    def _holding(self) -> list[Any]:
        holding = with_first_held(self.scope.rows()).filter(held_first__isnull=False)
        return list(holding.order_by("pk"))

    def _what_comes(self) -> str:
        mount = registry.mounts().get(self.scope.name)
        if mount and (mount.is_exact or mount.redeliver == "unsettled"):
            return "The held ones come first, then what is unsettled behind them; what is settled stays so."
        return "The held ones come first, and everything behind them comes again, handled or not."

    def _refuse_process(self) -> None:
        mount = registry.mounts().get(self.scope.name)
        if mount and mount.checkpoints == "process":
            raise ActionRefused(
                f"{self.scope.name} keeps its checkpoints in the worker's memory, so nothing is stored to "
                "read from. Rewind it to the record: `manage.py streams rewind`."
            )

    def _locked(self, store: OperatorStore) -> AbstractContextManager[None]:
        return self.scope.locked(store, [row.pk for row in self._holding()])

    def _write(self, store: OperatorStore) -> None:
        store.redeliver([row.pk for row in self._holding()])
