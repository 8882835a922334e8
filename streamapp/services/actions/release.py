"""Releasing leases: the owner loses its shards at once, and whoever looks first takes them."""

from contextlib import AbstractContextManager
from typing import Any

from streamapp import registry
from streamapp.exceptions import ActionRefused
from streamapp.services.actions.base import Action, Review
from streamapp.services.actions.scope import Scope, named
from streamapp.services.workers import owner
from streamapp.store.audit import enumerated
from streamapp.store.operating import OperatorStore


class Release(Action):
    """Takes leases away. The old owner is fenced: what it has handled and not saved comes again."""

    name = "release"
    permission = "streamapp.release_checkpoint"

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def review(self) -> Review:
        """Refuse what a consumer group assigns, and what nobody holds."""
        self._refuse_groups()
        rows = self._owned()
        if not rows:
            raise ActionRefused(f"Nobody holds {self.scope.subject()} of {self.scope.name}.")
        effect = (
            f"{named(rows)}: the owner loses the lease and its work in flight is void. Another worker, or "
            "the same one, takes it at its next round (HEARTBEAT_INTERVAL) and reads from the checkpoint."
        )
        old = enumerated((f"{row}: {owner(row)}" for row in rows), "\n")
        return Review(self.name, self.scope.name, named(rows), (effect,), old, "nobody")

    def _refuse_groups(self) -> None:
        mount = registry.mounts().get(self.scope.name)
        if mount and registry.broker(mount.broker).assigns(mount.source):
            raise ActionRefused(
                f"{self.scope.name} reads as a Kafka consumer group. The group assigns its partitions, and "
                "assigns nothing anew because a lease is free: nobody would read them. Drain the worker "
                "instead. It leaves the group, which then gives its partitions to the others."
            )

    def _owned(self) -> list[Any]:
        return list(self.scope.rows().filter(lease__worker__isnull=False).order_by("pk"))

    def _locked(self, store: OperatorStore) -> AbstractContextManager[None]:
        return self.scope.locked(store)

    def _write(self, store: OperatorStore) -> None:
        store.release([row.pk for row in self._owned()])
