"""Card spend and reviewed payouts."""

from collections.abc import Iterable

from django.db import models

from projects.ledger.messages import Entry


class SpendQuerySet(models.QuerySet["Spend"]):
    def record(self, entries: Iterable[Entry]) -> None:
        """Write entries that may have been written before; an older revision never replaces a newer one."""
        newest = {entry.id: entry for entry in sorted(entries, key=lambda entry: entry.revision)}
        known = dict(self.filter(entry_id__in=newest).values_list("entry_id", "revision"))
        self.bulk_create(
            (
                self.model(entry_id=entry.id, card=entry.account, cents=entry.cents, revision=entry.revision)
                for entry in newest.values()
                if entry.revision >= known.get(entry.id, 0)
            ),
            update_conflicts=True,
            unique_fields=["entry_id"],
            update_fields=["card", "cents", "revision"],
        )


class Spend(models.Model):
    """One entry of a card, in cents."""

    entry_id = models.BigIntegerField(primary_key=True)
    card = models.CharField(max_length=50)
    cents = models.BigIntegerField()
    revision = models.PositiveIntegerField()

    objects = SpendQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "spend"

    def __str__(self) -> str:
        return f"{self.card}: {self.cents}"


class SpendRevision(models.Model):
    """The ledger's revision that the spend is built from, in the only row of its table."""

    number = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.number)

    @classmethod
    def advance(cls, revision: int) -> bool:
        """Go on to a newer revision; True for exactly one caller, who has to rebuild the spend."""
        cls.objects.get_or_create(pk=1)
        return cls.objects.filter(pk=1, number__lt=revision).update(number=revision) == 1


class ReviewedPayout(models.Model):
    """A payout, whether it is suspicious, and how often it was reviewed."""

    payout_id = models.BigIntegerField(unique=True)
    account = models.CharField(max_length=50)
    cents = models.BigIntegerField()
    suspicious = models.BooleanField()
    reviews = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return f"{self.payout_id}: {self.cents}"
