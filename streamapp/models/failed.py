"""Records that left their shards because their handler failed: those that wait, and those given up."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from streamapp.models.edited import EditedCopy
from streamapp.models.fields import PositionField


class FailedRecord(EditedCopy):
    """A record as it arrived, with its place and with when it failed first.

    `origin` is the place where it stood first, which differs from its own place where it was read from
    a stream of copies.
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
    origin = models.TextField(_("origin"), blank=True)
    first_failed_at = models.DateTimeField(_("first failed at"))
    reason = models.TextField(_("reason"), blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk} of {self.stream}/{self.shard}"


class DelayedRecord(FailedRecord):
    """A copy that is delivered to its subscription when it is due, by whichever worker claims it.

    `attempt` is the one that comes. A row is claimed while `claimed_until` isn't over; a claim that
    ran out is anybody's. Without a `due_at` it is held: it waits for an operator. `claim` is
    another one at every claim, and every write by a worker names it.
    """

    attempt = models.PositiveIntegerField(_("attempt"))
    copies = models.PositiveIntegerField(_("copied so often"))
    due_at = models.DateTimeField(_("due at"), null=True)
    held_reason = models.TextField(_("why it is held"), blank=True)
    claim = models.UUIDField(_("claim"), null=True)
    claimed_until = models.DateTimeField(_("claimed until"), null=True)
    created_at = models.DateTimeField(_("delayed at"))

    class Meta:
        verbose_name = _("delayed record")
        verbose_name_plural = _("delayed records")
        ordering = ("-id",)
        indexes = (models.Index(fields=["subscription", "due_at"], name="streamapp_due"),)
        constraints = (
            models.UniqueConstraint(
                fields=["subscription", "stream", "incarnation", "shard", "position"],
                name="streamapp_one_delayed",
            ),
        )


class DeadLetter(FailedRecord):
    """A record that no attempt could handle, with the last failure. There is one row a place.

    A record that comes to it again, after a rewind, replaces what the row says of the failure.
    """

    attempts = models.PositiveIntegerField(_("attempts"))
    exception = models.CharField(_("exception"), max_length=300, blank=True)
    message = models.TextField(_("message"), blank=True)
    trace = models.TextField(_("trace"), blank=True)
    created_at = models.DateTimeField(_("given up at"))

    class Meta:
        verbose_name = _("dead letter")
        verbose_name_plural = _("dead letters")
        ordering = ("-id",)
        permissions = (
            ("edit_letter", _("Can edit copies of records set aside")),
            ("redeliver_letter", _("Can redeliver records set aside to their subscription")),
            ("publish_letter", _("Can redeliver records set aside to their source")),
            ("purge_letter", _("Can purge records set aside")),
            ("dryrun_letter", _("Can order dry runs of records set aside or held")),
        )
        indexes = (models.Index(fields=["subscription", "-id"], name="streamapp_dead_letters"),)
        constraints = (
            models.UniqueConstraint(
                fields=["subscription", "stream", "incarnation", "shard", "position"],
                name="streamapp_one_dead_letter",
            ),
        )
