"""How far each shard is behind, as its worker last saw it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Checkpoint
from streamapp.models.fields import PositionField


class Lag(models.Model):
    """What the worker that reads a shard knows of the log's end: written by its sampler alone.

    It stands beside the checkpoint, so that a sample never waits for a fenced save or the other way
    round. `records` is null where positions don't count records, `milliseconds` where nothing tells.
    """

    checkpoint = models.OneToOneField(Checkpoint, models.CASCADE, primary_key=True, related_name="lag")
    read_to = PositionField(_("read to"))
    records = models.BigIntegerField(_("lag in records"), null=True)
    milliseconds = models.BigIntegerField(_("lag in milliseconds"), null=True)
    sampled_at = models.DateTimeField(_("sampled at"))

    class Meta:
        verbose_name = _("lag")
        verbose_name_plural = _("lags")

    def __str__(self) -> str:
        return f"{self.checkpoint_id}: {self.records}"
