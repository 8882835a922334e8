"""The audit trail of rewinds: who moved which checkpoints from where to where, and whether it took."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.checkpoint import Checkpoint, Subscription
from streamapp.models.fields import PositionField
from streamapp.models.worker import Worker


class Rewind(models.Model):
    """One applied rewind of a subscription. Rows are added, never changed or deleted by the app."""

    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="rewinds")
    target = models.CharField(_("target"), max_length=300, help_text=_("The position as it was asked for."))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("user"),
    )
    origin = models.CharField(_("asked from"), max_length=200, help_text=_("admin, command or handler"))
    reason = models.TextField(_("reason"), blank=True)
    requested_at = models.DateTimeField(_("requested at"))
    undoes = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="undone_by",
        verbose_name=_("undoes"),
        help_text=_("The rewind whose old positions this one brings back."),
    )

    class Meta:
        verbose_name = _("rewind")
        verbose_name_plural = _("rewinds")
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.subscription} → {self.target}"


class RewoundShard(models.Model):
    """What a rewind did to one shard, and how far its worker has come with it.

    `seen_at`: the worker that held the shard has dropped what it had in flight. `applied_at`: a worker
    reads from the new position. `read_at`: that position has brought its first record.
    """

    rewind = models.ForeignKey(Rewind, models.CASCADE, related_name="shards")
    checkpoint = models.ForeignKey(Checkpoint, models.CASCADE, related_name="rewound")
    old_position = PositionField(_("old position"))
    new_position = PositionField(_("new position"))
    epoch = models.BigIntegerField(_("epoch after the rewind"))
    seen_at = models.DateTimeField(_("seen at"), null=True)
    applied_at = models.DateTimeField(_("applied at"), null=True)
    applied_by = models.ForeignKey(
        Worker, models.SET_NULL, null=True, related_name="+", verbose_name=_("applied by")
    )
    read_at = models.DateTimeField(_("first record read at"), null=True)

    class Meta:
        verbose_name = _("rewound shard")
        verbose_name_plural = _("rewound shards")
        ordering = ("id",)

    def __str__(self) -> str:
        return f"checkpoint {self.checkpoint_id} in rewind {self.rewind_id}"
