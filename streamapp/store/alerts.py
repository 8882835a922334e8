"""Alerts: what the workers warn of now, each worker its own rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from streamapp.models import Alert, AlertKind
from streamapp.store.clock import ago
from streamapp.store.connections import short_transaction
from streamapp.store.records import quoted

__all__ = ["AlertKind", "AlertStore", "Warned"]


@dataclass(frozen=True, slots=True)
class Warned:
    """An alert on its way into its row: `seconds` is how long it has been so, `text` tells more."""

    checkpoint: int
    kind: AlertKind
    position: int
    seconds: float
    text: str = ""


class AlertStore:
    """Writes what a worker warns of."""

    def __init__(self, using: str) -> None:
        self._using = using

    def replace(self, worker: UUID, alerts: Sequence[Warned]) -> None:
        """Let these be all that the worker warns of; in one transaction, and safe to repeat."""
        rows = [
            Alert(
                worker_id=worker,
                checkpoint_id=alert.checkpoint,
                kind=alert.kind,
                position=alert.position,
                since=ago(alert.seconds),
                text=quoted(alert.text),
            )
            for alert in alerts
        ]
        with short_transaction(self._using):
            Alert.objects.using(self._using).filter(worker=worker).delete()
            Alert.objects.using(self._using).bulk_create(rows)
