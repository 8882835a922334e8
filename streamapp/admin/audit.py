"""The audit trail: who told the consumers what."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, time
from streamapp.admin.filters import AuditedAction
from streamapp.admin.reading import ReadingAdmin
from streamapp.models import AuditEntry

LONGEST_SHOWN = 60


class AuditAdmin(ReadingAdmin):
    """Rows are added by actions. Nobody changes or deletes them here."""

    first_step = _("Rewind, pause, skip, redeliver, release or drain something: each action is a row here.")
    list_display = ("moment", "what", "subscription", "asked_by", "reason")
    list_display_links = ("moment",)
    list_filter = (AuditedAction,)
    list_select_related = ("user",)
    search_fields = ("subscription", "user__username", "action", "subject", "reason")
    search_help_text = _("Part of a subscription, user, action, shard or reason.")
    ordering = ("-id",)
    fields = (
        "moment",
        "action",
        "subscription",
        "subject",
        "before",
        "after",
        "reason",
        "result",
        "asked_by",
    )

    @admin.display(description=_("at"), ordering="id")
    def moment(self, row: AuditEntry) -> str:
        """Show when, by the database's clock."""
        return time(row.at)

    @admin.display(description=_("what"), ordering="action")
    def what(self, row: AuditEntry) -> str:
        """Show the action and what it was about, cut for the list."""
        cut = row.subject if len(row.subject) <= LONGEST_SHOWN else f"{row.subject[: LONGEST_SHOWN - 1]}…"
        return format_html('<b>{}</b><br><span class="streamapp-position">{}</span>', row.action, cut)

    @admin.display(description=_("by"), ordering="user")
    def asked_by(self, row: Any) -> str:
        """Show who, if they were logged in, and from where."""
        return f"{row.user.get_username()} ({row.origin})" if row.user else row.origin

    @admin.display(description=_("before"))
    def before(self, row: AuditEntry) -> str:
        """Show how it stood."""
        return row.old or EMPTY

    @admin.display(description=_("after"))
    def after(self, row: AuditEntry) -> str:
        """Show how it stood then."""
        return row.new or EMPTY
