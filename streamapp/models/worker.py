"""Workers and their heartbeats."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class WorkerState(models.TextChoices):
    """Whether a worker may own leases."""

    ALIVE = "alive", _("alive")
    DEAD = "dead", _("dead")
    DEPARTED = "departed", _("departed")


class Worker(models.Model):
    """One consumer process, or one life of it: a worker that was declared dead comes back as another.

    The identity is drawn at random: containers share host names and process ids.

    While `drained_at` is set the worker hands everything over and takes nothing; a new life of the same
    process inherits it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    host = models.CharField(_("host"), max_length=255)
    process_id = models.PositiveIntegerField(_("process id"))
    subscriptions = models.JSONField(_("subscriptions"), default=list)
    state = models.CharField(_("state"), max_length=10, choices=WorkerState, default=WorkerState.ALIVE)
    started_at = models.DateTimeField(_("started at"))
    heartbeat_at = models.DateTimeField(_("last heartbeat"))
    ttl = models.DurationField(_("time to live"))
    drained_at = models.DateTimeField(_("drained since"), null=True)
    drained_by = models.CharField(_("drained by"), max_length=200, blank=True)
    drain_reason = models.TextField(_("reason for the drain"), blank=True)

    class Meta:
        verbose_name = _("worker")
        verbose_name_plural = _("workers")
        permissions = (("drain_worker", _("Can drain workers")),)
        indexes = (models.Index(fields=["state", "heartbeat_at"], name="streamapp_worker_alive"),)

    def __str__(self) -> str:
        return f"{self.host}:{self.process_id} ({str(self.id)[:8]})"
