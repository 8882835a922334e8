"""Records that were not handled: held in front of a checkpoint, or set aside as undecodable."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Checkpoint
from streamapp.models.edited import EditedCopy
from streamapp.models.fields import PositionField


class HeldRecord(models.Model):
    """An unsettled record that its handler held; its shard's checkpoint waits in front of the first.

    The rows describe what the present owner holds. They go when the shard is taken, sought or
    rewound, because the record is then delivered again.
    """

    checkpoint = models.ForeignKey(Checkpoint, models.CASCADE, related_name="held")
    position = PositionField(_("position"))
    reason = models.TextField(_("reason"), blank=True)
    held_at = models.DateTimeField(_("held at"))

    class Meta:
        verbose_name = _("held record")
        verbose_name_plural = _("held records")
        constraints = (
            models.UniqueConstraint(fields=["checkpoint", "position"], name="streamapp_one_held_record"),
        )

    def __str__(self) -> str:
        return f"record held on {self.checkpoint}"


class Quarantined(EditedCopy):
    """A record that could not be decoded: its raw bytes, where it came from and why it is here.

    There is one row a place however often the record is read again.
    """

    subscription = models.CharField(_("subscription"), max_length=200)
    stream = models.CharField(_("stream"), max_length=255)
    incarnation = models.CharField(_("incarnation"), max_length=64, blank=True)
    shard = models.CharField(_("shard"), max_length=128)
    position = PositionField(_("position"))
    key = models.BinaryField(_("key"), null=True)
    value = models.BinaryField(_("value"), null=True)
    headers = models.JSONField(_("headers"), default=dict, help_text=_("Values are base64."))
    timestamp = models.DateTimeField(_("record time"), null=True)
    reason = models.TextField(_("reason"))
    created_at = models.DateTimeField(_("quarantined at"))

    class Meta:
        verbose_name = _("quarantined record")
        verbose_name_plural = _("quarantine")
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["subscription", "stream", "incarnation", "shard", "position"],
                name="streamapp_one_quarantined",
            ),
        )

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk} of {self.stream}/{self.shard}"
