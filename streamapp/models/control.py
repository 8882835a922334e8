"""What operators have told the workers to do, for as long as it holds: pauses and records to skip."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Checkpoint, Subscription
from streamapp.models.fields import PositionField
from streamapp.models.worker import Worker


class Pause(models.Model):
    """While it stands nothing of a shard is handled, or of a subscription where `checkpoint` is null.

    A row is deleted when somebody resumes; the audit trail keeps who did what.
    """

    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="pauses")
    checkpoint = models.ForeignKey(Checkpoint, models.CASCADE, null=True, related_name="pauses")
    paused_by = models.CharField(_("paused by"), max_length=200)
    reason = models.TextField(_("reason"), blank=True)
    paused_at = models.DateTimeField(_("paused at"))

    class Meta:
        verbose_name = _("pause")
        verbose_name_plural = _("pauses")
        constraints = (
            models.UniqueConstraint(fields=["checkpoint"], name="streamapp_one_pause_of_shard"),
            models.UniqueConstraint(
                fields=["subscription"],
                condition=models.Q(checkpoint=None),
                name="streamapp_one_pause_of_subscription",
            ),
        )

    def __str__(self) -> str:
        return f"pause {self.pk} of subscription {self.subscription_id}"


class SkipResult(models.TextChoices):
    """What came of the order to skip a record."""

    OPEN = "", _("waits for its worker")
    SKIPPED = "skipped", _("skipped")
    SETTLED = "settled", _("was settled before")
    REWOUND = "rewound", _("void: a rewind brings the record again")


class SkippedRecord(models.Model):
    """The order to retire one held record. It survives take-overs, which forget what was held.

    It is in effect until `ended_at`: until the stored checkpoint has passed the record, or a rewind
    brings it again. `applied_at` is when a worker first settled the record in its stead.
    """

    checkpoint = models.ForeignKey(Checkpoint, models.CASCADE, related_name="skipped_records")
    position = PositionField(_("position"))
    asked_by = models.CharField(_("asked by"), max_length=200)
    reason = models.TextField(_("reason"))
    asked_at = models.DateTimeField(_("asked at"))
    applied_at = models.DateTimeField(_("applied at"), null=True)
    applied_by = models.ForeignKey(Worker, models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(_("ended at"), null=True)
    result = models.CharField(
        _("result"), max_length=10, choices=SkipResult, default=SkipResult.OPEN, blank=True
    )

    class Meta:
        verbose_name = _("skipped record")
        verbose_name_plural = _("skipped records")
        constraints = (
            models.UniqueConstraint(
                fields=["checkpoint", "position"],
                condition=models.Q(ended_at=None),
                name="streamapp_one_skip_in_effect",
            ),
        )

    def __str__(self) -> str:
        return f"skip {self.pk} of checkpoint {self.checkpoint_id}"
