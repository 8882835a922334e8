"""The records that are held now, each with the ways out."""

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, link, position, shortened, state, time_with_age
from streamapp.admin.controls import ways
from streamapp.admin.filters import HeldBySubscription
from streamapp.admin.reading import ReadingAdmin
from streamapp.admin.record_links import with_record
from streamapp.conf import configuration
from streamapp.models import DelayedRecord, SkippedRecord
from streamapp.services.dry_runs import is_allowed
from streamapp.services.places import described


class HeldRecordAdmin(ReadingAdmin):
    """What checkpoints wait for, and why."""

    first_step = _("A record that its handler holds is a row here until it is settled.")
    change_form_template = "admin/streamapp/change_form.html"
    list_display = ("record", "subscription", "reason", "since", "skipped")
    list_display_links = ("record",)
    list_filter = (HeldBySubscription,)
    search_fields = ("checkpoint__subscription__name", "checkpoint__stream", "reason")
    search_help_text = _("Part of a subscription's or stream's name, or of the reason.")
    ordering = ("checkpoint", "position")
    fields = ("shard", "whole_position", "subscription", "reason", "since", "skipped")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Bring the shard, and whether somebody skips the record, with the one query."""
        orders = SkippedRecord.objects.filter(
            checkpoint=OuterRef("checkpoint"), position=OuterRef("position"), ended_at=None
        )
        rows: QuerySet[Any] = super().get_queryset(request).select_related("checkpoint__subscription")
        found: QuerySet[Any] = rows.annotate(now=Now(), is_skipped=Exists(orders))
        return found

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, and where those are that have left their shards."""
        return super().changelist_view(request, {**(extra_context or {}), "note": self._copies(request)})

    def _copies(self, request: HttpRequest) -> str:
        held = DelayedRecord.objects.using(configuration().DATABASE).filter(due_at=None)
        if not request.user.has_perm("streamapp.view_delayedrecord") or not held.exists():
            return ""
        page = reverse("admin:streamapp_delayedrecord_changelist", current_app=self.admin_site.name)
        text = gettext("Held copies, which have left their shards, are among the delayed records")
        return format_html('<a href="{}?state=held">{}</a>.', page, text)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Lead from here to the actions."""
        row = self.get_object(request, object_id)
        shown = {} if row is None else {"ways": self._ways(request, row)}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def _ways(self, request: HttpRequest, row: Any) -> list[dict[str, Any]]:
        site, shard = self.admin_site.name, row.checkpoint_id
        names = [] if row.is_skipped else ["skip"]
        names += ["dry-run"] if is_allowed(row.checkpoint.subscription.name) else []
        own = ways(request, site, names, shard=shard, position=row.position)
        return [*own, *ways(request, site, ["redeliver"], shard=shard)]

    @admin.display(description=_("record"), ordering="checkpoint")
    def record(self, row: Any) -> str:
        """Name shard and position; both may be long."""
        place = shortened(described(row.checkpoint.subscription.broker, row.position))
        return format_html('{}<br><span class="streamapp-nowrap">{}</span>', row.checkpoint, place)

    @admin.display(description=_("shard"))
    def shard(self, row: Any) -> str:
        """Lead to the shard."""
        page = reverse(
            "admin:streamapp_checkpoint_change", args=[row.checkpoint_id], current_app=self.admin_site.name
        )
        return link(page, str(row.checkpoint))

    @admin.display(description=_("position"))
    def whole_position(self, row: Any) -> str:
        """Show the record's place, which leads to what stands there."""
        broker = row.checkpoint.subscription.broker
        cell = position(broker, row.position)
        return with_record(row, self.admin_site.name, row.checkpoint_id, broker, row.position, cell)

    @admin.display(description=_("subscription"), ordering="checkpoint__subscription__name")
    def subscription(self, row: Any) -> str:
        """Name the subscription."""
        return str(row.checkpoint.subscription.name)

    @admin.display(description=_("held since"), ordering="held_at")
    def since(self, row: Any) -> str:
        """Show since when."""
        return time_with_age(row.held_at, row.now)

    @admin.display(description=_("skip"))
    def skipped(self, row: Any) -> str:
        """Show whether an operator has ordered to skip it and no worker has done so yet."""
        return state("warn", gettext("ordered")) if row.is_skipped else EMPTY
