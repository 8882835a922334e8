"""The list of shards, from which a rewind begins."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from streamapp.admin.alerts import ShardAlerts
from streamapp.admin.controls import ControlDesk, ways
from streamapp.admin.desk_pages import way_to_rewind
from streamapp.admin.filters import ChosenSubscription, NeedsAttention, ReadBy
from streamapp.admin.plots import answer, period_of, plot_context
from streamapp.admin.reading import ReadingAdmin
from streamapp.admin.records import RecordDesk, way_to_records
from streamapp.admin.rewinding import RewindDesk
from streamapp.admin.shard_cells import ShardCells
from streamapp.admin.shards import ShardList, with_waits
from streamapp.conf import configuration
from streamapp.models import Checkpoint, HeldRecord, Pause
from streamapp.services.pauses import with_paused
from streamapp.services.plots import shard_charts
from streamapp.services.workers import owner

RELATED = ("subscription", "lease__worker", "lag")
EXPLAINED = {
    "behind": _(
        "Records from the position to the end of the log; and how far reading is behind, in time. "
        "By the worker's last sample, which is so old."
    ),
    "moved": _("When the position was last written. It stays while there is nothing new."),
    "epoch": _("Grows with every take-over, rewind, redelivery and release. An older one can't save."),
    "revision": _("Grows with every rewind, skip, split and merge. A review is refused once it has grown."),
    "incarnation": _("The identity that the broker gave to the stream. One that is made again has another."),
}


class CheckpointAdmin(ShardCells, ShardAlerts, ReadingAdmin):
    """Where each shard stands and who reads it."""

    first_step = _("Run `manage.py runconsumers`: each shard that a subscription reads gets a row here.")
    list_display = ("listed_shard", "behind", "held", "read_by", "stands_at")
    list_display_links = ("listed_shard",)
    list_filter = (NeedsAttention, ChosenSubscription, ReadBy)
    list_select_related = RELATED
    search_fields = ("subscription__name", "stream", "=shard")
    search_help_text = _("Part of a subscription's or stream's name, or a whole shard name.")
    ordering = ("subscription__name", "stream", "id")
    actions = ("rewind",)
    list_per_page = 50
    change_form_template = "admin/streamapp/shard.html"
    fields = (
        "shard_name",
        "subscription",
        "whole_position",
        "read_by",
        "waits_for",
        "parent_shards",
        "behind",
        "read_to",
        "held",
        "held_records",
        "paused",
        "skipped_records",
        "alerts",
        "skips",
        "moved",
        "epoch",
        "revision",
        "incarnation",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Bring owner and held records with the one query."""
        held = HeldRecord.objects.filter(checkpoint=OuterRef("pk")).order_by().values("checkpoint")
        rows = super().get_queryset(request).select_related(*RELATED)
        counted = Subquery(held.annotate(n=Count("pk")).values("n"))
        return with_paused(rows.annotate(now=Now(), held_count=Coalesce(counted, 0)))

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[ChangeList]:
        """Use the list that knows what its shards wait for."""
        return ShardList

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Bring what the shard waits for."""
        row = super().get_object(request, object_id, from_field)
        return row if row is None else with_waits([row])[0]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show its past, and lead from here to a rewind, to its records and to the other actions."""
        row = self.get_object(request, object_id)
        shown = {} if row is None else {**self._ways(request, row), **self._plots(request, row)}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def plot(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer with the figures of the plots."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        period = period_of(request)
        return answer(shard_charts(get_object_or_404(self.get_queryset(request), pk=pk), period), period)

    def _plots(self, request: HttpRequest, row: Checkpoint) -> dict[str, Any]:
        return plot_context(self.admin_site, request, "checkpoint", row.pk)

    def _ways(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        paused = Pause.objects.using(configuration().DATABASE).filter(checkpoint=row.pk).exists()
        names = ["resume" if paused else "pause"]
        names += ["redeliver"] * (row.held_count > 0) + ["release"] * (owner(row) is not None)
        return {
            "ways": ways(request, self.admin_site.name, names, shard=row.pk),
            **way_to_rewind(self.admin_site, request, row.subscription.name, str(row.pk)),
            **way_to_records(self.admin_site.name, request, row),
        }

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        """Explain the words that only streamapp uses."""
        return super().get_form(request, obj, change, help_texts=EXPLAINED, **kwargs)

    def get_urls(self) -> list[URLPattern]:
        """Add the records, the plots, the steps of a rewind, and the pages of the other actions."""
        view = self.admin_site.admin_view
        steps = [
            path(f"rewind/{way}", view(step), name=f"streamapp_rewind_{name}")
            for name, way, step in RewindDesk(self).steps()
        ]
        pages = [
            path("records/", view(RecordDesk(self).show), name="streamapp_records"),
            path("control/<slug:action>/", view(ControlDesk(self).serve), name="streamapp_control"),
            path("<int:pk>/plot/", view(self.plot), name="streamapp_checkpoint_plot"),
        ]
        return [*pages, *steps, *super().get_urls()]

    def has_rewind_permission(self, request: HttpRequest) -> bool:
        """Allow whoever has the permission of its own."""
        return request.user.has_perm("streamapp.rewind_checkpoint")

    @admin.action(description=_("Rewind…"), permissions=["rewind"])
    def rewind(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask for the position."""
        return RewindDesk(self).begin(request, chosen)
