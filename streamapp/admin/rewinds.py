"""The trail of rewinds."""

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, link, position, state, time
from streamapp.admin.reading import ReadingAdmin
from streamapp.admin.record_links import with_record
from streamapp.models import Rewind, RewoundShard
from streamapp.services.progress import Arrival, arrival, gated_of, progress, rewound_shards

SHARDS_A_PAGE = 100
MARKS = {
    Arrival.READ: "good",
    Arrival.APPLIED: "good",
    Arrival.SEEN: "warn",
    Arrival.WAITING: "warn",
    Arrival.GATED: "idle",
    Arrival.FINISHED: "good",
    Arrival.UNREAD: "warn",
    Arrival.SUPERSEDED: "idle",
}
OVER = {Arrival.READ, Arrival.FINISHED, Arrival.SUPERSEDED}
"""After these nothing more will be told of a shard."""


class RewindAdmin(ReadingAdmin):
    """Who moved what from where to where, and which workers have applied it."""

    first_step = _("Choose shards in the list of shards and take the action “Rewind…”.")
    change_form_template = "admin/streamapp/rewind.html"
    list_display = ("number", "subscription", "target", "applied", "requested", "user", "origin", "reason")
    list_select_related = ("subscription", "user")
    search_fields = ("subscription__name", "target", "reason")
    ordering = ("-id",)
    fields = ("subscription", "target", "reason", "user", "origin", "requested", "undoes", "undone")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Count applied shards within the one query."""
        shards = RewoundShard.objects.filter(rewind=OuterRef("pk")).order_by().values("rewind")
        all_shards = shards.annotate(n=Count("pk")).values("n")
        done = shards.annotate(n=Count("pk", filter=Q(applied_at__isnull=False))).values("n")
        rows = super().get_queryset(request).select_related("subscription", "user")
        counted_rows: QuerySet[Any] = rows.annotate(
            shard_count=Coalesce(Subquery(all_shards), 0), done=Coalesce(Subquery(done), 0)
        )
        return counted_rows

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the rewind with its shards, waiting ones first, a hundred a page."""
        rewind = self.get_object(request, object_id)
        shown = {} if rewind is None else self._shards(rewind, request.GET.get("page"))
        shown["may_undo"] = request.user.has_perm("streamapp.rewind_checkpoint")
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    @admin.display(description=_("rewind"), ordering="id")
    def number(self, row: Rewind) -> str:
        """Name it by its number."""
        return f"{row.pk}"

    @admin.display(description=_("applied"))
    def applied(self, row: Any) -> str:
        """Show how many shards are read from the new position."""
        kind = "good" if row.done == row.shard_count else "warn"
        return state(kind, f"{row.done:,} of {row.shard_count:,}")

    @admin.display(description=_("undone by"))
    def undone(self, row: Rewind) -> str:
        """Lead to the rewinds that took it back."""
        page = "admin:streamapp_rewind_change"
        found = row.undone_by.order_by("pk")
        links = (
            (link(reverse(page, args=[undo.pk], current_app=self.admin_site.name), f"{undo.pk}"),)
            for undo in found
        )
        return format_html_join(", ", "{}", links) or EMPTY

    @admin.display(description=_("requested at"), ordering="requested_at")
    def requested(self, row: Rewind) -> str:
        """Show when it was asked for."""
        return time(row.requested_at)

    def _shards(self, rewind: Rewind, number: str | None) -> dict[str, Any]:
        page = Paginator(rewound_shards(rewind), SHARDS_A_PAGE).get_page(number)
        rows = list(page)
        gated = gated_of(rows)
        shards = [_cells(row, rewind, gated, self.admin_site.name) for row in rows]
        return {
            "progress": progress(rewind),
            "page": page,
            "shards": shards,
            "looked_at": time(timezone.now()),
            "is_over": all(cells["is_over"] for cells in shards),
        }


def _cells(row: RewoundShard, rewind: Rewind, gated: set[int], site: str) -> dict[str, Any]:
    broker, stands = row.checkpoint.subscription.broker, arrival(row, gated)

    def place(number: int) -> str:
        return with_record(rewind, site, row.checkpoint_id, broker, number, position(broker, number))

    return {
        "stored": position(broker, row.checkpoint.position),
        "is_over": stands in OVER,
        "shard": row.checkpoint,
        "old": place(row.old_position),
        "new": place(row.new_position),
        "state": state(MARKS[stands], stands.value),
        "seen": time(row.seen_at),
        "applied": time(row.applied_at),
        "read": time(row.read_at),
        "by": row.applied_by or EMPTY,
    }
