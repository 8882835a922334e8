"""A dry run of a record set aside: the handler is called, and nothing of it stays."""

from collections.abc import Iterator, Sequence
from typing import Any

from streamapp.models import Where
from streamapp.records import Shard
from streamapp.services import dry_runs
from streamapp.services.set_aside.base import Done, SetAsideAction
from streamapp.services.wording import amount
from streamapp.store.audit import Asker
from streamapp.store.dry_runs import TABLES, DryRunStore
from streamapp.store.set_aside import SetAsideStore

WHERE = {model: where for where, model in TABLES.items()}


class DryRunSetAside(SetAsideAction):
    """Orders a dry run of each record; `ordered` has their numbers."""

    name = "dry run"
    permission = dry_runs.PERMISSION
    becomes = "asked for, nothing of it will be kept"
    chunk = 20
    keeps = True

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.ordered: list[int] = []

    def do(self, ids: Sequence[int], asker: Asker) -> Done:
        """Order the runs in one transaction, with their trail; the rows stay as they are."""
        self._asker = asker
        return super().do(ids, asker)

    def _effects(self, subscription: str, count: int, edited: int) -> Iterator[str]:  # noqa: ARG002
        yield from dry_runs.effects(subscription)
        if edited:
            yield f"{amount(edited, 'record')} as edited: the handler gets the edited copy."

    def _move(self, store: SetAsideStore, row: Any) -> None:  # noqa: ARG002
        dry_runs.allowing(row.subscription)
        place = Shard(row.stream, row.shard, row.incarnation), row.position
        where: Where = WHERE[self.model]
        add = DryRunStore(self._using).add
        self.ordered.append(add(row.subscription, where, place, self.place(row), self._asker))
