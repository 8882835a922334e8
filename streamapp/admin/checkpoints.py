"""The list of shards, from which a rewind begins."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, position, state, time_with_age
from streamapp.admin.filters import ChosenSubscription, NeedsAttention
from streamapp.admin.reading import ReadingAdmin
from streamapp.admin.rewinding import RewindDesk
from streamapp.admin.workers import worker_mark
from streamapp.models import Checkpoint, HeldRecord
from streamapp.services.workers import owner

EXPLAINED = {
    "moved": _("When the position was last written. It stays while there is nothing new."),
    "epoch": _("Grows with every take-over and every rewind. A worker with an older epoch can't save."),
    "revision": _("Grows with every rewind. A review is refused once it has grown."),
    "incarnation": _("The identity that the broker gave to the stream. One that is made again has another."),
}


class CheckpointAdmin(ReadingAdmin):
    """Where each shard stands and who reads it."""

    first_step = _("Run `manage.py runconsumers`: each shard that a subscription reads gets a row here.")
    list_display = (
        "shard_name",
        "subscription",
        "stands_at",
        "read_by",
        "held",
        "moved",
        "epoch",
    )
    list_display_links = ("shard_name",)
    list_filter = (NeedsAttention, ChosenSubscription)
    list_select_related = ("subscription", "lease__worker")
    search_fields = ("subscription__name", "stream", "=shard")
    search_help_text = _("Part of a subscription's or stream's name, or a whole shard name.")
    ordering = ("subscription__name", "stream", "id")
    actions = ("rewind",)
    fields = (
        "shard_name",
        "subscription",
        "stands_at",
        "read_by",
        "held",
        "held_records",
        "moved",
        "epoch",
        "revision",
        "incarnation",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Bring owner and held records with the one query."""
        held = HeldRecord.objects.filter(checkpoint=OuterRef("pk")).order_by().values("checkpoint")
        rows = super().get_queryset(request).select_related("subscription", "lease__worker")
        counted = Subquery(held.annotate(n=Count("pk")).values("n"))
        counted_rows: QuerySet[Any] = rows.annotate(now=Now(), held_count=Coalesce(counted, 0))
        return counted_rows

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        """Explain the words that only streamapp uses."""
        return super().get_form(request, obj, change, help_texts=EXPLAINED, **kwargs)

    def get_urls(self) -> list[URLPattern]:
        """Add the steps of a rewind."""
        desk = RewindDesk(self)
        steps = [
            path("rewind/review/", self.admin_site.admin_view(desk.review), name="streamapp_rewind_review"),
            path("rewind/apply/", self.admin_site.admin_view(desk.apply), name="streamapp_rewind_apply"),
        ]
        return steps + super().get_urls()

    def has_rewind_permission(self, request: HttpRequest) -> bool:
        """Allow whoever has the permission of its own."""
        return request.user.has_perm("streamapp.rewind_checkpoint")

    @admin.action(description=_("Rewind…"), permissions=["rewind"])
    def rewind(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask for the position."""
        return RewindDesk(self).begin(request, chosen)

    @admin.display(description=_("shard"), ordering="stream")
    def shard_name(self, row: Checkpoint) -> str:
        """Write stream and shard, on one line."""
        return format_html('<span class="streamapp-nowrap">{}</span>', row)

    @admin.display(description=_("position"), ordering="position")
    def stands_at(self, row: Checkpoint) -> str:
        """Show the next record to read."""
        return position(row.subscription.broker, row.position)

    @admin.display(description=_("read by"))
    def read_by(self, row: Any) -> str:
        """Show the owner of the lease, and whether it lives."""
        worker = owner(row)
        mark = worker_mark(worker, row.now)
        return format_html("{}<br><small>{}</small>", mark, worker) if worker else mark

    @admin.display(description=_("held"), ordering="held_count")
    def held(self, row: Any) -> str:
        """Count the records that hold the checkpoint."""
        return state("bad", f"{row.held_count:,}") if row.held_count else "0"

    @admin.display(description=_("first held records"))
    def held_records(self, row: Checkpoint) -> str:
        """Show what the checkpoint waits for."""
        first = row.held.order_by("position")[:20]
        return "\n".join(f"{held.position}: {held.reason or 'no reason given'}" for held in first) or EMPTY

    @admin.display(description=_("moved"), ordering="saved_at")
    def moved(self, row: Any) -> str:
        """Show when the position was last written; it isn't while nothing moves."""
        return time_with_age(row.saved_at, row.now)
