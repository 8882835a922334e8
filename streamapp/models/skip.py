"""The trace of records that retention took before they were read."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Checkpoint
from streamapp.models.fields import PositionField


class Skip(models.Model):
    """Reading found its place gone and went on elsewhere. Rows are added, never changed by the app.

    `records` counts the positions between the two, lost or passed over by the policy: the most that
    were skipped. It is null where positions don't count records.
    """

    checkpoint = models.ForeignKey(Checkpoint, models.CASCADE, related_name="skips", verbose_name=_("shard"))
    epoch = models.BigIntegerField(_("epoch"))
    old_position = PositionField(_("old position"))
    new_position = PositionField(_("new position"))
    records = models.BigIntegerField(_("records skipped"), null=True)
    policy = models.CharField(_("policy"), max_length=10, help_text=_("ON_OUT_OF_RANGE at that time"))
    skipped_at = models.DateTimeField(_("skipped at"))

    class Meta:
        verbose_name = _("skip")
        verbose_name_plural = _("skips")
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["checkpoint", "epoch", "old_position"], name="streamapp_one_skip"
            ),
        )

    def __str__(self) -> str:
        return f"skip on {self.checkpoint}"
