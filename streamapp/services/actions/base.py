"""An operator's action: reviewed first, then done, with its trail."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from streamapp.conf import configuration
from streamapp.exceptions import MissingReason
from streamapp.store.audit import Asker, Deed, add_entry
from streamapp.store.operating import OperatorStore


@dataclass(frozen=True, slots=True)
class Review:
    """What an action does to what, in sentences; `old` and `new` are how it stands before and after."""

    action: str
    subscription: str
    subject: str
    effects: tuple[str, ...]
    old: str
    new: str

    @property
    def deed(self) -> Deed:
        """Return what the audit trail keeps of it."""
        return Deed(self.action, self.subscription, self.subject, self.old, self.new, "stored")

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


class Action(ABC):
    """One action on one subject. Every action is a row that workers find, and one row of the audit trail."""

    name: ClassVar[str]
    permission: ClassVar[str]
    """The permission without which nobody may do it, with its app."""
    needs_reason: ClassVar[bool] = False

    @abstractmethod
    def review(self) -> Review:
        """Say what it would do, by the rows as they are; changes nothing. Raises ActionRefused."""

    def do(self, asker: Asker) -> Review:
        """Do it in one transaction, or as a part of the one that is open; returns what was done.

        Running workers follow within a second or so. Raises ActionRefused, with nothing changed, when
        what the rows say by now doesn't allow it, or when a reason is missing.
        """
        if self.needs_reason and not asker.reason.strip():
            raise MissingReason(f"To {self.name} needs a reason: it is kept for whoever asks later.")
        using = configuration().DATABASE
        store = OperatorStore(using, asker)
        with self._locked(store):
            review = self.review()
            self._write(store)
            add_entry(using, asker, review.deed)
        return review

    @abstractmethod
    def _locked(self, store: OperatorStore) -> AbstractContextManager[None]:
        """Keep everybody out whose order would change what `review` says."""

    @abstractmethod
    def _write(self, store: OperatorStore) -> None: ...
