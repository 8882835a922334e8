"""What the pages of records set aside have in common: the record as its handler gets it, and the ways out."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, state, time
from streamapp.admin.editing import EditDesk
from streamapp.admin.reading import ReadingAdmin
from streamapp.admin.record_links import may_look
from streamapp.admin.set_aside_actions import TITLES, SetAsideDesk, titles
from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.services import dry_runs
from streamapp.services.places import described
from streamapp.services.set_aside import editing
from streamapp.services.set_aside.rows import as_delivered, mounted
from streamapp.services.shown import ShownRecord, shown
from streamapp.store.set_aside import arrived

VALUE = ("payload", "edited_payload")
REST = ("record_key", "record_headers", "record_time", "incarnation")
REFUSED = _("Not shown: it takes the permission to see records.")


class SetAsideAdmin(ReadingAdmin):
    """Payloads for those who may see records, actions for those who may take them."""

    change_form_template = "admin/streamapp/change_form.html"
    actions = ("redeliver", "dry_run", "publish", "purge")
    search_help_text = _("Part of a subscription, stream or reason; a whole key, if you may see records.")

    def get_urls(self) -> list[URLPattern]:
        """Add the pages of the actions and the one that edits a copy."""
        act = self.admin_site.admin_view(SetAsideDesk(self).serve)
        edit = self.admin_site.admin_view(EditDesk(self).serve)
        name = self.opts.model_name
        pages = [
            path("act/<slug:action>/", act, name=f"streamapp_{name}_act"),
            path("<int:pk>/edit/", edit, name=f"streamapp_{name}_edit"),
        ]
        return [*pages, *super().get_urls()]

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> "tuple[QuerySet[Any], bool]":
        """Find records by their whole key as well, for those who may see it."""
        found, several = super().get_search_results(request, queryset, search_term)
        if search_term and may_look(request):
            found = found | queryset.filter(Q(key=search_term.encode()))
        return found, several

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Lead from here to the ways out."""
        shown = {"ways": self._ways(request, object_id)} if object_id.isdecimal() else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def _ways(self, request: HttpRequest, pk: str) -> list[dict[str, Any]]:
        name, site = f"admin:streamapp_{self.opts.model_name}", self.admin_site.name
        edit = {"title": _("Edit a copy"), "url": reverse(f"{name}_edit", args=[pk], current_app=site)}
        found = [edit] if may_edit(request) else []
        row = self._rows().filter(pk=pk).defer("value", "edited_value").first()
        for action, kind in titles(self.model).items():
            if row is not None and request.user.has_perm(kind.permission) and _suits(action, row):
                url = reverse(f"{name}_act", args=[action], current_app=site)
                found.append({"title": kind.title, "url": f"{url}?ids={pk}"})
        return found

    def _rows(self) -> "QuerySet[Any]":
        rows: QuerySet[Any] = self.model._default_manager.using(configuration().DATABASE)
        return rows

    def has_dry_run_permission(self, request: HttpRequest) -> bool:
        """Allow whoever may order dry runs."""
        return request.user.has_perm(dry_runs.PERMISSION)

    def has_redeliver_permission(self, request: HttpRequest) -> bool:
        """Allow whoever may redeliver."""
        return request.user.has_perm(TITLES["redeliver"].permission)

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Allow whoever may publish to a source."""
        return request.user.has_perm(TITLES["publish"].permission)

    def has_purge_permission(self, request: HttpRequest) -> bool:
        """Allow whoever may purge."""
        return request.user.has_perm(TITLES["purge"].permission)

    @admin.action(description=_("Redeliver…"), permissions=["redeliver"])
    def redeliver(self, request: HttpRequest, chosen: "QuerySet[Any]") -> HttpResponse:
        """Ask first."""
        return SetAsideDesk(self).begin(request, "redeliver", chosen)

    @admin.action(description=_("Dry run…"), permissions=["dry_run"])
    def dry_run(self, request: HttpRequest, chosen: "QuerySet[Any]") -> HttpResponse:
        """Ask first."""
        return SetAsideDesk(self).begin(request, "dry-run", chosen)

    @admin.action(description=_("Redeliver to the source…"), permissions=["publish"])
    def publish(self, request: HttpRequest, chosen: "QuerySet[Any]") -> HttpResponse:
        """Ask first."""
        return SetAsideDesk(self).begin(request, "publish", chosen)

    @admin.action(description=_("Purge…"), permissions=["purge"])
    def purge(self, request: HttpRequest, chosen: "QuerySet[Any]") -> HttpResponse:
        """Ask first."""
        return SetAsideDesk(self).begin(request, "purge", chosen)

    @admin.display(description=_("value, as it arrived"))
    def payload(self, row: Any) -> str:
        """Show the record's value as its handler would get it."""
        return _cell(row, lambda: _value(_shown(row, arrived(row))))

    @admin.display(description=_("edited copy"))
    def edited_payload(self, row: Any) -> str:
        """Show what a redelivery delivers instead."""
        if not row.edited_at:
            return EMPTY
        cell = _cell(row, lambda: _value(_shown(row, as_delivered(row))))
        return format_html("{}<small>{} {}</small>", cell, row.edited_by, time(row.edited_at))

    @admin.display(description=_("key"))
    def record_key(self, row: Any) -> str:
        """Show the key."""
        return _cell(row, lambda: _block(_shown(row, arrived(row)).key.text))

    @admin.display(description=_("headers"))
    def record_headers(self, row: Any) -> str:
        """Show the headers, one a line."""
        return _cell(row, lambda: _headers(_shown(row, arrived(row))))

    @admin.display(description=_("record time"), ordering="timestamp")
    def record_time(self, row: Any) -> str:
        """Show the time that the record carries."""
        return time(row.timestamp)


def _suits(action: str, row: Any) -> bool:
    """Tell whether an action can be taken on a row."""
    if action == "dry-run":
        return dry_runs.is_allowed(row.subscription)
    return action != "skip" or row.due_at is None


def may_edit(request: HttpRequest) -> bool:
    """Tell whether somebody may edit a copy: they see the record with it."""
    return request.user.has_perm(editing.PERMISSION) and may_look(request)


def _shown(row: Any, record: Any) -> ShownRecord:
    mount = mounted(row.subscription)
    return shown(record, mount, lambda position: described(mount.broker, position))


def _cell(row: Any, make: Any) -> str:
    if not row.may_look:
        return str(REFUSED)
    try:
        return str(make())
    except ActionRefused:
        return gettext("Not shown: the subscription isn't mounted, so nobody knows what MASK hides.")


def _value(record: ShownRecord) -> str:
    problem = record.value.problem
    cell = _block(record.value.text)
    return (
        format_html('{}<p class="streamapp-problem">{}</p>', cell, state("warn", problem))
        if problem
        else cell
    )


def _block(text: str) -> str:
    return format_html('<pre class="streamapp-payload">{}</pre>', text)


def _headers(record: ShownRecord) -> str:
    return format_html_join("", "<div><b>{}</b>: {}</div>", record.headers) or EMPTY
