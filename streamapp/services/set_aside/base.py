"""One action on records that were set aside: reviewed first, then done in bounded chunks, with its trail."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db.models import Count, Q

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused, MissingReason
from streamapp.services.actions.base import Review
from streamapp.services.set_aside.rows import broker_of, place_of, unit
from streamapp.services.wording import amount
from streamapp.store.audit import Asker, Deed, add_entry, enumerated
from streamapp.store.connections import short_transaction
from streamapp.store.set_aside import SetAside, SetAsideStore

STALLED_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a chunk: the rows that were moved, and a sentence for each that wasn't.

    `stopped` says why nothing else should be tried now; it is empty if others may follow.
    """

    rows: tuple[Any, ...]
    refused: tuple[str, ...]
    stopped: str = ""


class Stop(Exception):
    """Nothing else should be tried now."""


class SetAsideAction(ABC):
    """One action on rows of one table. `chunk` is how many of them one transaction takes."""

    name: ClassVar[str]
    permission: ClassVar[str]
    needs_reason: ClassVar[bool] = False
    chunk: ClassVar[int] = 100
    keeps: ClassVar[bool] = False
    """Whether the rows stay where they are."""

    def __init__(self, model: SetAside) -> None:
        self.model = model
        self._using = configuration().DATABASE
        self._brokers: dict[str, str] = {}

    def review(self, ids: Sequence[int]) -> Review:
        """Say what it would do to these rows; changes nothing. Raises ActionRefused if none is there."""
        rows = self.model._default_manager.using(self._using).filter(pk__in=ids)
        counted = (
            rows.order_by("subscription")
            .values_list("subscription")
            .annotate(total=Count("pk"), edited=Count("pk", filter=Q(edited_value__isnull=False)))
        )
        names = {name: (total, edited) for name, total, edited in counted}
        if not names:
            raise ActionRefused(f"There is nothing to {self.name}: somebody else has dealt with it.")
        first = rows.order_by("pk").defer("value", "edited_value", "key", "headers")
        places = enumerated(map(self.place, first[:21]))
        total = sum(count for count, _ in names.values())
        subject = places if total == 1 else f"{amount(total, unit(self.model))}: {places}"
        effects = [effect for name, counts in names.items() for effect in self._effects(name, *counts)]
        return Review(self.name, enumerated(names), subject, tuple(effects), unit(self.model), self.becomes)

    def do(self, ids: Sequence[int], asker: Asker) -> Done:
        """Do it to at most `chunk` rows in one transaction, with one entry of the audit trail a subscription.

        A row that can't be moved is refused with a sentence and stays as it is. Raises ActionRefused for a
        missing reason, django.db.Error.
        """
        if self.needs_reason and not asker.reason.strip():
            raise MissingReason(f"To {self.name} needs a reason: it is kept for whoever asks later.")
        store, moved, refused, stopped = SetAsideStore(self._using, self.model), [], [], ""
        with short_transaction(self._using, stalled=STALLED_SECONDS):
            rows = store.lock(ids[: self.chunk])
            for row in rows:
                try:
                    self._move(store, row)
                    moved.append(row)
                except ActionRefused as error:
                    refused.append(f"{self.place(row)}: {error}")
                except Stop as error:
                    stopped = f"{self.place(row)}: {error}"
                    break
            self._note(moved, asker)
        if missing := len(ids[: self.chunk]) - len(rows):
            refused.append(f"{amount(missing, 'record')}: gone, or in a worker's hand at this moment.")
        return Done(tuple(moved), tuple(refused), stopped)

    def place(self, row: Any) -> str:
        """Write where the record of a row stood."""
        if row.subscription not in self._brokers:
            self._brokers[row.subscription] = broker_of(row.subscription, self._using)
        return place_of(row, self._brokers[row.subscription])

    def _note(self, rows: Sequence[Any], asker: Asker) -> None:
        by_subscription: defaultdict[str, list[Any]] = defaultdict(list)
        for row in rows:
            by_subscription[row.subscription].append(row)
        for name, mine in by_subscription.items():
            places = [f"{self.place(row)}{' (edited copy)' * bool(row.edited_by)}" for row in mine]
            subject = places[0] if len(places) == 1 else amount(len(places), unit(self.model))
            old = "\n".join((f"{unit(self.model)}s:", *places))
            add_entry(self._using, asker, Deed(self.name, name, subject, old, self.becomes, "stored"))

    becomes: ClassVar[str]
    """What a record is afterwards, for the audit trail."""

    @abstractmethod
    def _effects(self, subscription: str, count: int, edited: int) -> Iterator[str]: ...

    @abstractmethod
    def _move(self, store: SetAsideStore, row: Any) -> None:
        """Move one row; raises ActionRefused if it must stay, Stop if nothing else should be tried."""


def in_chunks(
    action: SetAsideAction, ids: Sequence[int], asker: Asker, told: Callable[[Done], object]
) -> bool:
    """Do it to all of the rows, chunk by chunk, and tell of each chunk; False if it stopped early."""
    for begin in range(0, len(ids), action.chunk):
        done = action.do(ids[begin : begin + action.chunk], asker)
        told(done)
        if done.stopped:
            return False
    return True
