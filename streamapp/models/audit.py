"""The audit trail: who told the consumers to do what, and what came of it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class AuditEntry(models.Model):
    """One action of an operator, a command or a handler. Rows are added, never changed or deleted by the app.

    It names its subjects as text, so that it outlives them.
    """

    at = models.DateTimeField(_("at"), db_index=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("user"),
    )
    origin = models.CharField(_("asked from"), max_length=200, help_text=_("admin, command or handler"))
    action = models.CharField(_("action"), max_length=50)
    subscription = models.CharField(_("subscription"), max_length=200, blank=True, db_index=True)
    subject = models.CharField(_("subject"), max_length=400, blank=True, help_text=_("shard, record, worker"))
    old = models.TextField(_("before"), blank=True)
    new = models.TextField(_("after"), blank=True)
    reason = models.TextField(_("reason"), blank=True)
    result = models.TextField(_("result"), blank=True)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.action} {self.subscription} {self.subject}".rstrip()
