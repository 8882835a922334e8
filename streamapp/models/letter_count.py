"""What DEAD_LETTER_LIMIT counts, for all workers of a subscription together."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Subscription


class LetterCount(models.Model):
    """How many records have come to an outcome, as far as workers with dead letters have told.

    While `tripped_at` is set no more dead letters are written. The row goes when somebody resumes the
    subscription.
    """

    subscription = models.OneToOneField(Subscription, models.CASCADE, related_name="letter_count")
    records = models.BigIntegerField(_("records"), default=0)
    tripped_at = models.DateTimeField(_("too many since"), null=True)

    class Meta:
        verbose_name = _("count of dead letters")
        verbose_name_plural = _("counts of dead letters")

    def __str__(self) -> str:
        return f"dead letters of subscription {self.subscription_id}"


class CountedLetter(models.Model):
    """One of the last dead letters: `place` is the number of the record among all that were counted.

    A record counts once, however often its letter is tried.
    """

    count = models.ForeignKey(LetterCount, models.CASCADE, related_name="letters")
    place = models.BigIntegerField(_("place"))
    record = models.CharField(_("record"), max_length=600)

    class Meta:
        verbose_name = _("counted dead letter")
        verbose_name_plural = _("counted dead letters")
        indexes = (models.Index(fields=["count", "-place"], name="streamapp_counted_letters"),)
        constraints = (
            models.UniqueConstraint(fields=["count", "record"], name="streamapp_letter_counted_once"),
        )

    def __str__(self) -> str:
        return f"letter {self.pk} at {self.place}"
