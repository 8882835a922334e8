"""Pausing a subscription or shards, and resuming them."""

from contextlib import AbstractContextManager
from typing import Any

from django.db.models import QuerySet

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.models import Pause as Row
from streamapp.services.actions.base import Action, Review
from streamapp.services.actions.scope import Scope, named
from streamapp.services.pauses import told
from streamapp.store.operating import OperatorStore


class Pausing(Action):
    """What both have in common: the scope, and which pauses there are."""

    permission = "streamapp.pause_checkpoint"

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def _locked(self, store: OperatorStore) -> AbstractContextManager[None]:
        return self.scope.locked(store)

    def _pauses(self) -> QuerySet[Row]:
        rows = Row.objects.using(configuration().DATABASE).filter(subscription=self.scope.subscription)
        return rows.select_related("checkpoint").order_by("pk")

    def _whole(self) -> Row | None:
        return self._pauses().filter(checkpoint=None).first()

    def _own(self) -> list[Row]:
        """Return the pauses of the very shards, or of the subscription as a whole, that are meant."""
        if self.scope.chosen is None:
            return [row for row in [self._whole()] if row]
        return list(self._pauses().filter(checkpoint__in=self.scope.chosen))

    def _what(self) -> str:
        return (
            self.scope.name if self.scope.chosen is None else f"{self.scope.subject()} of {self.scope.name}"
        )

    def _review(self, old: str, new: str, *effects: str) -> Review:
        scope = self.scope
        return Review(self.name, scope.name, scope.subject(), tuple(filter(None, effects)), old, new)


class Pause(Pausing):
    """Nothing is handled until somebody resumes; the leases stay where they are."""

    name = "pause"

    def review(self) -> Review:
        """Refuse what is paused already."""
        if paused := self._own():
            what = self.scope.name if paused[0].checkpoint is None else _shards(paused)
            raise ActionRefused(f"{what} is paused already, {told(paused[0])}.")
        later = " Shards that come later are paused too." if self.scope.chosen is None else ""
        effect = (
            f"Nothing of {self._what()} is handled until somebody resumes: "
            f"calls that run may end and are saved, the lag grows, leases and checkpoints stay.{later}"
        )
        return self._review("handled", "paused", effect, self.scope.followers())

    def _write(self, store: OperatorStore) -> None:
        chosen: Any = [None] if self.scope.chosen is None else self.scope.chosen
        store.pause(self.scope.subscription.pk, chosen)


class Resume(Pausing):
    """Handling goes on where it stopped."""

    name = "resume"

    def review(self) -> Review:
        """Refuse what isn't paused itself, and say what stays paused."""
        paused = self._own()
        self._refuse(paused)
        effect = f"Handling of {self._what()} goes on where it stopped."
        return self._review(
            enumerated_pauses(paused), "handled", effect, self._stays(), self.scope.followers()
        )

    def _refuse(self, paused: list[Row]) -> None:
        whole = self._whole()
        if self.scope.chosen is not None and len(paused) < len(self.scope.chosen):
            found = {row.checkpoint_id for row in paused}
            free = named([row for row in self.scope.rows() if row.pk not in found])
            hint = f" {self.scope.name} as a whole is, {told(whole)}: resume that." if whole else ""
            raise ActionRefused(f"Not paused by themselves: {free}.{hint}")
        if self.scope.chosen is None and not whole:
            single = list(self._pauses())
            hint = f" Single shards are: {_shards(single)}. Resume those." if single else ""
            raise ActionRefused(f"{self.scope.name} isn't paused as a whole.{hint}")

    def _stays(self) -> str:
        if self.scope.chosen is None:
            single = list(self._pauses().exclude(checkpoint=None))
            return f"Still paused by themselves: {_shards(single)}." if single else ""
        whole = self._whole()
        return f"Still paused with all of {self.scope.name}, {told(whole)}." if whole else ""

    def _write(self, store: OperatorStore) -> None:
        store.resume([row.pk for row in self._own()])
        if self.scope.chosen is None:
            store.letter_counts.begin_anew(self.scope.subscription.pk)


def enumerated_pauses(paused: list[Row]) -> str:
    """Say who paused what is resumed."""
    return "; ".join(dict.fromkeys(told(row) for row in paused[:5]))


def _shards(paused: list[Row]) -> str:
    return named([row.checkpoint for row in paused if row.checkpoint])
