"""What a live worker warns of at this moment."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Checkpoint
from streamapp.models.fields import PositionField
from streamapp.models.worker import Worker


class AlertKind(models.TextChoices):
    """What somebody should look at."""

    STUCK = "stuck", _("handler is stuck")
    EXPIRING = "expiring", _("retention is about to pass it")
    STOPPED = "stopped", _("stands still, the log lost its place")
    LIMIT = "limit", _("too many dead letters, records are held")
    UNWRITTEN = "unwritten", _("a copy or dead letter can't be written")


class Alert(models.Model):
    """One shard, and since when something is wrong with it; gone as soon as it is right again.

    Rows belong to the worker that wrote them and count only while it lives.
    """

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="alerts", verbose_name=_("worker"))
    checkpoint = models.ForeignKey(Checkpoint, models.CASCADE, related_name="alerts", verbose_name=_("shard"))
    kind = models.CharField(_("kind"), max_length=10, choices=AlertKind)
    position = PositionField(_("position"))
    since = models.DateTimeField(_("since"))
    text = models.TextField(_("details"), blank=True)

    class Meta:
        verbose_name = _("alert")
        verbose_name_plural = _("alerts")

    def __str__(self) -> str:
        return f"{self.kind} at checkpoint {self.checkpoint_id}"
