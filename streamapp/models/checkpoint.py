"""Subscriptions with their checkpoints and leases: the heart of what is stored."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.fields import PositionField
from streamapp.models.worker import Worker
from streamapp.records import Shard


class Subscription(models.Model):
    """A mounted handler that has run at least once.

    `started_at` is set once START_AT was applied to every shard there was: a shard that appears
    later is new and opens at its first record.
    """

    name = models.CharField(_("name"), max_length=200, unique=True)
    broker = models.CharField(_("broker"), max_length=100)
    streams = models.CharField(_("streams"), max_length=500)
    group = models.CharField(_("group"), max_length=255, blank=True)
    started_at = models.DateTimeField(_("first started at"), null=True)

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Checkpoint(models.Model):
    """The stored watermark of one shard of one incarnation of a stream, for one subscription.

    `epoch` grows at every take-over and every rewind and fences late saves. `revision` grows with
    what makes a reviewed plan wrong and is what the plan is checked against: a rewind, a skip, a split or
    merge. A pause, a resume, a release and a redelivery move nothing and leave it. Every write
    is one conditional UPDATE in `streamapp.store`; nothing ever saves a whole row.

    `settled` tells which records behind the position are settled (streamapp/engine/settled.py), where
    the subscription remembers that: a restart delivers the others only.

    `parents` names the shards that must be finished before this one is read. `retired_at` is when
    the stream was first seen without this shard; nothing reads a retired one any more.
    """

    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="checkpoints")
    stream = models.CharField(_("stream"), max_length=255)
    incarnation = models.CharField(_("incarnation"), max_length=64, blank=True)
    shard = models.CharField(_("shard"), max_length=128)
    position = PositionField(_("position"))
    settled = models.TextField(_("settled behind it"), blank=True, default="")
    epoch = models.BigIntegerField(_("epoch"), default=0)
    revision = models.BigIntegerField(_("revision"), default=0)
    saved_at = models.DateTimeField(_("saved at"))
    parents = models.JSONField(_("parents"), default=list)
    retired_at = models.DateTimeField(_("retired at"), null=True)

    class Meta:
        verbose_name = _("shard")
        verbose_name_plural = _("shards")
        permissions = (
            ("rewind_checkpoint", _("Can rewind checkpoints")),
            ("view_record", _("Can see records of the log")),
            ("pause_checkpoint", _("Can pause and resume shards")),
            ("skip_checkpoint", _("Can skip held records")),
            ("redeliver_checkpoint", _("Can redeliver held records")),
            ("release_checkpoint", _("Can release leases")),
        )
        constraints = (
            models.UniqueConstraint(
                fields=["subscription", "stream", "incarnation", "shard"], name="streamapp_one_checkpoint"
            ),
        )

    def __str__(self) -> str:
        return f"{self.stream}/{self.shard}"

    @property
    def key(self) -> Shard:
        """Return the shard that the row is about."""
        return Shard(self.stream, self.shard, self.incarnation)


class Lease(models.Model):
    """Which worker may read a shard now; no row or no worker means that nobody does."""

    checkpoint = models.OneToOneField(Checkpoint, models.CASCADE, primary_key=True, related_name="lease")
    worker = models.ForeignKey(Worker, models.SET_NULL, null=True, related_name="leases")
    taken_at = models.DateTimeField(_("taken at"))

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")

    def __str__(self) -> str:
        return f"{self.checkpoint_id}: {self.worker_id or '-'}"
