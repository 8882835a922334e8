"""Retiring copies that their handler holds: they left their shards, and nobody handles them any more."""

from collections.abc import Iterator
from typing import Any

from streamapp.exceptions import ActionRefused
from streamapp.services.set_aside.base import SetAsideAction
from streamapp.services.wording import amount
from streamapp.store.set_aside import SetAsideStore


class SkipHeldCopy(SetAsideAction):
    """Ends held copies as a drop, with the operator's reason. For delayed records only."""

    name = "skip"
    permission = "streamapp.skip_checkpoint"
    needs_reason = True
    becomes = "skipped"

    def _effects(self, subscription: str, count: int, edited: int) -> Iterator[str]:  # noqa: ARG002
        yield (
            f"{amount(count, 'record')} of {subscription} will be retired and not handled. The audit trail "
            "keeps where each stood, and your reason."
        )
        yield "Its shard has gone on already: no checkpoint moves. A rewind to its place brings it again."

    def _move(self, store: SetAsideStore, row: Any) -> None:
        if row.due_at is not None:
            raise ActionRefused("it isn't held, it comes again when it is due. Purge it if nobody wants it.")
        store.delete(row)
