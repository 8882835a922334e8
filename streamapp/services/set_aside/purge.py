"""Deleting for good."""

from collections.abc import Iterator
from typing import Any

from streamapp.services.set_aside.base import SetAsideAction
from streamapp.services.wording import amount
from streamapp.store.set_aside import SetAsideStore


class Purge(SetAsideAction):
    """Deletes rows, with a reason."""

    name = "purge"
    permission = "streamapp.purge_letter"
    needs_reason = True
    becomes = "deleted"

    def _effects(self, subscription: str, count: int, edited: int) -> Iterator[str]:
        yield (
            f"{amount(count, 'record')} of {subscription} will be deleted with payload and story, for good. "
            "The audit trail keeps only where each stood, and your reason."
        )
        if edited:
            yield f"{edited:,} of them with an edited copy."

    def _move(self, store: SetAsideStore, row: Any) -> None:
        store.delete(row)
