"""Dry runs: a worker handles a record, undoes what its handler wrote, and says what came of it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.fields import PositionField
from streamapp.models.worker import Worker


class Where(models.TextChoices):
    """Where the record of a dry run is."""

    DEAD_LETTERS = "dead_letters", _("dead letters")
    QUARANTINE = "quarantine", _("quarantine")
    DELAYED = "delayed", _("delayed records")
    SHARD = "shard", _("held in its shard")


class DryOutcome(models.TextChoices):
    """What came of a dry run; the first ones are what the handler said."""

    ACK = "ack", _("ack")
    DROP = "drop", _("drop")
    HOLD = "hold", _("hold")
    RETRY = "retry", _("retry")
    RETRY_AFTER = "retry_after", _("retry_after")
    FAILED = "failed", _("the handler raised")
    UNDECODABLE = "undecodable", _("undecodable")
    GONE = "gone", _("not run")
    ABANDONED = "abandoned", _("no result: its workers ended")


class DryRun(models.Model):
    """The order to handle a record in a transaction that is rolled back, and the result.

    It is claimed by one worker while `claimed_until` isn't over; a claim that ran out is anybody's.
    `claim` is another one at every claim, and the result names it. `ended_at` comes with the result.
    """

    subscription = models.CharField(_("subscription"), max_length=200)
    where = models.CharField(_("where it is"), max_length=20, choices=Where)
    stream = models.CharField(_("stream"), max_length=255)
    incarnation = models.CharField(_("incarnation"), max_length=64, blank=True)
    shard = models.CharField(_("shard"), max_length=128)
    position = PositionField(_("position"))
    place = models.TextField(_("record"))
    asked_by = models.CharField(_("asked by"), max_length=200)
    reason = models.TextField(_("reason"), blank=True)
    asked_at = models.DateTimeField(_("asked at"))
    claim = models.UUIDField(_("claim"), null=True)
    claims = models.PositiveIntegerField(_("claimed so often"), default=0)
    claimed_at = models.DateTimeField(_("claimed at"), null=True)
    claimed_until = models.DateTimeField(_("claimed until"), null=True)
    worker = models.ForeignKey(Worker, models.SET_NULL, null=True, blank=True, related_name="+")
    ended_at = models.DateTimeField(_("ended at"), null=True)
    outcome = models.CharField(_("outcome"), max_length=20, choices=DryOutcome, blank=True)
    said = models.TextField(_("said"), blank=True)
    exception = models.CharField(_("exception"), max_length=300, blank=True)
    message = models.TextField(_("message"), blank=True)
    trace = models.TextField(_("trace"), blank=True)
    milliseconds = models.FloatField(_("took, in ms"), null=True)
    moves = models.JSONField(_("would have moved"), default=list, blank=True)
    unsent = models.JSONField(_("would have published"), default=list, blank=True)

    class Meta:
        verbose_name = _("dry run")
        verbose_name_plural = _("dry runs")
        ordering = ("-id",)
        indexes = (
            models.Index(
                fields=["subscription"], condition=models.Q(ended_at=None), name="streamapp_dry_runs_open"
            ),
        )

    def __str__(self) -> str:
        return f"dry run {self.pk} of {self.stream}/{self.shard}"
