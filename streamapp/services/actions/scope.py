"""What an action is about: a subscription as a whole, or some of its shards."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused, UnknownSubscription
from streamapp.models import Checkpoint, Subscription
from streamapp.services.wording import amount
from streamapp.services.workers import live_workers
from streamapp.store.audit import enumerated
from streamapp.store.operating import OperatorStore


@dataclass(frozen=True, slots=True)
class Scope:
    """A stored subscription, and the ids of the shards that are meant; None is all, and those to come."""

    subscription: Subscription
    chosen: tuple[int, ...] | None = None

    @classmethod
    def of(cls, subscription: str, shards: Sequence[str] | None = None) -> "Scope":
        """Find shards by name, `orders/3`, or `3` where that is plain; asks no broker.

        Raises UnknownSubscription, and ActionRefused naming what is missing or ambiguous.
        """
        row = Subscription.objects.using(configuration().DATABASE).filter(name=subscription).first()
        if row is None:
            raise UnknownSubscription(
                f"{subscription} has no checkpoint yet: it gets one at its first start. "
                "`manage.py streams status` lists what there is."
            )
        if shards is None:
            return cls(row)
        latest = {str(each): each for each in cls(row).rows().order_by("pk")}
        return cls(row, tuple(dict.fromkeys(_named(name, latest, subscription).pk for name in shards)))

    @property
    def name(self) -> str:
        """Return the name of the subscription."""
        return self.subscription.name

    def rows(self) -> QuerySet[Checkpoint]:
        """Return the checkpoints that are meant, with their leases' workers."""
        mine = Checkpoint.objects.using(configuration().DATABASE).filter(subscription=self.subscription)
        related = mine.select_related("subscription", "lease__worker")
        return related if self.chosen is None else related.filter(pk__in=self.chosen)

    def subject(self) -> str:
        """Name the shards."""
        if self.chosen is None:
            return "all shards"
        return named(self.rows().order_by("stream", "pk"))

    def locked(
        self, store: OperatorStore, checkpoints: Collection[int] | None = None
    ) -> AbstractContextManager[None]:
        """Keep other actions out; `checkpoints` are those that it changes, if not all that are meant."""
        rows = self.rows().values_list("pk", flat=True) if checkpoints is None else checkpoints
        return store.one_at_a_time(subscription=self.subscription.pk, checkpoints=list(rows))

    def followers(self) -> str:
        """Say who will follow an order, and when."""
        if workers := live_workers([self.name]):
            verb = "follows" if len(workers) == 1 else "follow"
            return f"{amount(len(workers), 'live worker')} {verb} within a second or so."
        return f"No live worker runs {self.name}: the next one that starts finds it so."


def named(rows: "Sequence[Any] | QuerySet[Any]") -> str:
    """Name shards; of many the first ones."""
    return enumerated(map(str, rows))


def _named(name: str, latest: dict[str, Checkpoint], subscription: str) -> Checkpoint:
    matching = [row for whole, row in latest.items() if name in (whole, row.shard)]
    if not matching:
        raise ActionRefused(f"{subscription} has no shard {name}. `manage.py streams status` lists them.")
    if len(matching) > 1:
        raise ActionRefused(f"{name} is ambiguous: write one of {', '.join(map(str, matching))}.")
    return matching[0]
