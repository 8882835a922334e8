"""Redelivering to the subscription that failed, and to nobody else."""

from collections.abc import Iterator
from typing import Any

from streamapp.exceptions import ActionRefused
from streamapp.services.set_aside.base import SetAsideAction
from streamapp.services.set_aside.rows import mounted
from streamapp.services.wording import amount
from streamapp.services.workers import live_workers
from streamapp.store.set_aside import SetAsideStore


class RedeliverSetAside(SetAsideAction):
    """Makes each record a delayed one that is due now: any live worker of the subscription handles it."""

    name = "redeliver"
    permission = "streamapp.redeliver_letter"
    becomes = "delayed record, due at once"

    def _effects(self, subscription: str, count: int, edited: int) -> Iterator[str]:
        mounted(subscription)
        yield (
            f"{amount(count, 'record')} will be delivered to {subscription} and to nobody else: each alone, "
            "in no order, beside what its shards have come to. Attempts are counted from 1 again."
        )
        if edited:
            yield f"{edited:,} of them as edited: the handler gets the edited copy."
        yield "What fails again comes back to where it is now."
        workers = live_workers([subscription])
        if not workers:
            yield f"No live worker runs {subscription}: they wait until one does."

    def _move(self, store: SetAsideStore, row: Any) -> None:
        mounted(row.subscription)
        if not store.deliver(row, self.place(row)):
            raise ActionRefused(
                "another copy of it waits among the delayed records. Redeliver or purge that one first."
            )
