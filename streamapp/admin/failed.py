"""Records that left their shards because their handler failed: those that wait, and those given up."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import state, time
from streamapp.admin.filters import HeldCopies
from streamapp.admin.quarantine import NamedSubscription, QuarantinedAdmin
from streamapp.admin.set_aside import REST, VALUE
from streamapp.admin.set_aside_actions import TITLES, SetAsideDesk
from streamapp.models import DeadLetter, DelayedRecord


class DelayedAdmin(QuarantinedAdmin):
    """Each copy with its place, the attempt that comes, and when."""

    first_step = _("Nothing to do: a record that is to be tried again later will wait here.")
    list_display = ("place", "subscription", "attempt", "due", "short_reason")
    list_filter = (NamedSubscription, HeldCopies)  # type: ignore[assignment]
    actions = (*QuarantinedAdmin.actions, "skip")  # type: ignore[assignment]
    fields = (  # type: ignore[assignment]  # another number of them
        "whole_place",
        "subscription",
        "attempt",
        "due",
        "held_reason",
        "reason",
        *VALUE,
        "origin",
        *REST,
    )

    def has_skip_permission(self, request: HttpRequest) -> bool:
        """Allow whoever may skip held records."""
        return request.user.has_perm(TITLES["skip"].permission)

    @admin.action(description=_("Skip held ones…"), permissions=["skip"])
    def skip(self, request: HttpRequest, chosen: "QuerySet[Any]") -> HttpResponse:
        """Ask first."""
        return SetAsideDesk(self).begin(request, "skip", chosen)

    @admin.display(description=_("due at"), ordering="due_at")
    def due(self, row: DelayedRecord) -> str:
        """Show when the record comes again; a held one waits for an operator."""
        return time(row.due_at) if row.due_at else state("warn", gettext("held"))


class DeadLetterAdmin(QuarantinedAdmin):
    """Each record with its place, its bytes and its last failure."""

    first_step = _("Nothing to do: a record that no attempt could handle will be kept here.")
    list_display = ("place", "subscription", "attempts", "short_reason", "given_up")
    search_fields = ("subscription", "stream", "reason", "exception")  # type: ignore[assignment]
    fields = (  # type: ignore[assignment]
        "whole_place",
        "subscription",
        "attempts",
        "exception",
        "message",
        *VALUE,
        "stack",
        "reason",
        "origin",
        "first_failed",
        "given_up",
        *REST,
    )

    @admin.display(description=_("trace"))
    def stack(self, row: DeadLetter) -> str:
        """Show where it was raised."""
        return format_html('<pre class="streamapp-payload">{}</pre>', row.trace)

    @admin.display(description=_("first failed at"), ordering="first_failed_at")
    def first_failed(self, row: Any) -> str:
        """Show when the record failed first."""
        return time(row.first_failed_at)

    @admin.display(description=_("given up at"), ordering="created_at")
    def given_up(self, row: Any) -> str:
        """Show since when it is here."""
        return time(row.created_at)
