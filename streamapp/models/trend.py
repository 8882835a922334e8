"""How each subscription fared, minute by minute: what sparklines and plots show without adding up shards."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Subscription


class Trend(models.Model):
    """The totals of one subscription in one minute; every worker that runs it adds to the same row.

    `handled` counts the records that came to an outcome in this minute. `records` is the lag of all shards
    together, null where one of them isn't counted; `milliseconds` is the longest lag in time. Both are
    of the last sample in the minute.
    """

    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="trends", db_index=False)
    minute = models.DateTimeField(_("minute"))
    handled = models.BigIntegerField(_("records handled"))
    records = models.BigIntegerField(_("lag in records"), null=True)
    milliseconds = models.BigIntegerField(_("lag in milliseconds"), null=True)

    class Meta:
        verbose_name = _("trend")
        verbose_name_plural = _("trends")
        constraints = (
            models.UniqueConstraint(fields=["subscription", "minute"], name="streamapp_one_trend_a_minute"),
        )
        indexes = (models.Index(fields=["minute"], name="streamapp_trend_by_age"),)

    def __str__(self) -> str:
        return f"subscription {self.subscription_id} at {self.minute:%Y-%m-%dT%H:%MZ}"
