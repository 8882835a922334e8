"""Where checkpoints stood, minute by minute: what plots show and what a rewind may return to."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Checkpoint
from streamapp.models.fields import PositionField


class History(models.Model):
    """One stored checkpoint as it was at a moment, with the lag of that moment where it was known."""

    checkpoint = models.ForeignKey(Checkpoint, models.CASCADE, related_name="history")
    position = PositionField(_("position"))
    records = models.BigIntegerField(_("lag in records"), null=True)
    milliseconds = models.BigIntegerField(_("lag in milliseconds"), null=True)
    sampled_at = models.DateTimeField(_("sampled at"))

    class Meta:
        verbose_name = _("checkpoint of the past")
        verbose_name_plural = _("checkpoint history")
        indexes = (
            models.Index(fields=["checkpoint", "sampled_at"], name="streamapp_history_of_one"),
            models.Index(fields=["sampled_at"], name="streamapp_history_by_age"),
        )

    def __str__(self) -> str:
        return f"checkpoint {self.checkpoint_id} at {self.sampled_at:%Y-%m-%dT%H:%M:%SZ}"
