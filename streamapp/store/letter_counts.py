"""Counting dead letters of a subscription in all its workers, under one row's lock."""

from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet

from streamapp.ladder import Limit
from streamapp.models import CountedLetter, LetterCount, Subscription
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction


@dataclass(frozen=True, slots=True)
class Letter:
    """A record that is to be a dead letter, by its place in the log.

    `records` is how many have come to an outcome in its worker since the worker's last letter, this one
    included.
    """

    record: str
    records: int


class LetterCountStore:
    """Counts letters, and says when there are too many."""

    def __init__(self, using: str) -> None:
        self._using = using

    def count(self, subscription: str, letter: Letter, limit: Limit) -> bool:
        """Count a letter and return True; False if there are too many, until somebody resumes.

        Workers take turns: together they never write more than the limit allows.
        """
        if self.is_tripped(subscription):
            return False
        with short_transaction(self._using):
            row = self._locked(subscription, letter.records)
            if row.tripped_at is not None:
                return False
            letters = CountedLetter.objects.using(self._using).filter(count=row)
            if letters.filter(record=letter.record).exists():
                return True
            if self._is_too_many(row, letters, limit):
                self._counts.filter(pk=row.pk).update(tripped_at=ClockNow())
                return False
            letters.create(count=row, place=row.records, record=letter.record)
        return True

    def is_tripped(self, subscription: str) -> bool:
        """Tell whether there were too many letters, and nobody has resumed since."""
        rows = self._counts.filter(subscription__name=subscription, tripped_at__isnull=False)
        return rows.exists()

    def begin_anew(self, subscription: int) -> None:
        """Forget what was counted, because somebody lets the subscription go on; in a transaction.

        The row is locked first: a letter that is counted meanwhile would stand in the way of its delete.
        """
        mine = self._counts.filter(subscription=subscription)
        self._counts.filter(pk__in=list(mine.select_for_update().values_list("pk", flat=True))).delete()

    def _is_too_many(self, row: LetterCount, letters: "QuerySet[Any]", limit: Limit) -> bool:
        """Tell whether a letter more would be too many; forgets those that don't matter any more."""
        newest = letters.order_by("-place").values_list("place", flat=True)
        oldest = next(iter(newest[limit.letters - 1 : limit.letters]), None)
        if oldest is None:
            return False
        letters.filter(place__lt=oldest).delete()
        return bool(row.records - oldest <= limit.records)

    def _locked(self, subscription: str, records: int) -> LetterCount:
        """Return the row, brought up to date: nobody else counts until the transaction ends."""
        owner = Subscription.objects.using(self._using).values_list("pk", flat=True).get(name=subscription)
        mine = self._counts.filter(subscription=owner)
        while not mine.update(records=F("records") + records):  # somebody may resume in between
            self._counts.bulk_create([LetterCount(subscription_id=owner)], ignore_conflicts=True)
        return mine.get()

    @property
    def _counts(self) -> "QuerySet[LetterCount]":
        return LetterCount.objects.using(self._using)
