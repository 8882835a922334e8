"""The list of subscriptions."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from streamapp.admin.alerts import with_alert_count
from streamapp.admin.cells import lag, link, time, time_with_age
from streamapp.admin.controls import ways
from streamapp.admin.desk_pages import way_to_rewind
from streamapp.admin.overview import REFRESH_SECONDS, OverviewDesk
from streamapp.admin.plots import answer, period_of, plot_context
from streamapp.admin.reading import ReadingAdmin
from streamapp.admin.records import way_to_records
from streamapp.admin.row_ids import is_row_id
from streamapp.admin.subscription_page import SubscriptionPage
from streamapp.models import Checkpoint, HeldRecord, Subscription
from streamapp.positions import SHARD_END
from streamapp.services.lag import total_lag, with_total_lag
from streamapp.services.plots import subscription_charts

LISTED = (
    "name",
    "broker",
    "streams",
    "group",
    "shards",
    "behind",
    "held",
    "oldest_checkpoint",
)


FRAGMENTS = ("figures", "shards")
"""The parts of a subscription's page that are fetched again and again."""


class SubscriptionAdmin(ReadingAdmin):
    """What runs here, with the counts that tell whether it runs well."""

    first_step = _("Add an entry to STREAMAPP['SUBSCRIPTIONS'] and run `manage.py runconsumers`.")
    list_display = (*LISTED, "alert_count")
    fields = ("name", "broker", "streams", "group", "first_started")
    change_form_template = "admin/streamapp/subscription.html"
    search_fields = ("name", "streams")
    ordering = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Count in the database, within the one query."""
        own = Checkpoint.objects.filter(subscription=OuterRef("pk")).order_by().values("subscription")
        unfinished = own.filter(retired_at=None).exclude(position=SHARD_END)
        held = HeldRecord.objects.filter(checkpoint__subscription=OuterRef("pk")).order_by()
        held_a_row = held.values("checkpoint__subscription").annotate(n=Count("pk")).values("n")
        rows = with_total_lag(
            super()
            .get_queryset(request)
            .annotate(
                now=Now(),
                shard_count=Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0),
                oldest=Subquery(unfinished.annotate(n=Min("saved_at")).values("n")),
                held_count=Coalesce(Subquery(held_a_row), 0),
            )
        )
        return with_alert_count(rows, "checkpoint__subscription")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Leave the counts of the list out: the page counts for itself."""
        rows = super().get_queryset(request)
        return rows.filter(pk=object_id).first() if is_row_id(object_id) else None

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show figures, shards and plots, or for the script that refreshes them those parts alone."""
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            return super().change_view(request, object_id, form_url, extra_context)
        page = SubscriptionPage(row, self.admin_site.name)
        if (part := request.GET.get("fragment")) in FRAGMENTS:
            shown = page.figures() if part == "figures" else page.shards(request)
            return TemplateResponse(request, f"admin/streamapp/subscription_{part}.html", shown)
        plots = plot_context(self.admin_site, request, "subscription", row.pk)
        shown = {**page.figures(), **page.shards(request), **plots, "refresh_seconds": REFRESH_SECONDS}
        shown |= self._ways(request, row, page.actions()) | self._way_to_records(request, shown["shards"])
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def plot(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Answer with the figures of the plots."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = get_object_or_404(super().get_queryset(request), pk=pk)
        period, worst = period_of(request), SubscriptionPage(row, self.admin_site.name).worst()
        return answer(subscription_charts(pk, period, worst), period)

    def get_urls(self) -> list[URLPattern]:
        """Add the overview, and the figures of the plots."""
        desk, view = OverviewDesk(self), self.admin_site.admin_view
        pages = [
            path("overview/", view(desk.show), name="streamapp_overview"),
            path("<int:pk>/plot/", view(self.plot), name="streamapp_subscription_plot"),
        ]
        return pages + super().get_urls()

    def _way_to_records(self, request: HttpRequest, shown: list[dict[str, Any]]) -> dict[str, str]:
        """Begin at the first shard of the list; the page of records offers the others."""
        return way_to_records(self.admin_site.name, request, shown[0]["row"]) if shown else {}

    def _ways(self, request: HttpRequest, row: Subscription, names: list[str]) -> dict[str, Any]:
        return {
            "ways": ways(request, self.admin_site.name, names, subscription=row.pk),
            **way_to_rewind(self.admin_site, request, row.name),
        }

    @admin.display(description=_("first started"), ordering="started_at")
    def first_started(self, row: Any) -> str:
        """Show when it ran for the first time."""
        return time(row.started_at)

    @admin.display(description=_("shards"), ordering="shard_count")
    def shards(self, row: Any) -> str:
        """Lead to its shards."""
        return self._link(row, f"{row.shard_count:,}")

    @admin.display(description=_("lag"), ordering="lag_milliseconds")
    def behind(self, row: Any) -> str:
        """Show how far behind it is as a whole, and how old the oldest of the figures is."""
        return lag(total_lag(row))

    @admin.display(description=_("held records"), ordering="held_count")
    def held(self, row: Any) -> str:
        """Lead to the shards that hold records."""
        return self._link(row, f"{row.held_count:,}", attention="held") if row.held_count else "0"

    @admin.display(description=_("alerts"), ordering="alert_count")
    def alert_count(self, row: Any) -> str:
        """Lead to the shards of which a live worker warns."""
        return self._link(row, f"{row.alert_count:,}", attention="alert") if row.alert_count else "0"

    @admin.display(description=_("oldest checkpoint"), ordering="oldest")
    def oldest_checkpoint(self, row: Any) -> str:
        """Show the save that is the longest ago, of the shards that aren't finished."""
        return time_with_age(row.oldest, row.now)

    def _link(self, row: Subscription, text: str, **narrowed: str) -> str:
        shards = reverse("admin:streamapp_checkpoint_changelist", current_app=self.admin_site.name)
        return link(shards, text, subscription=row.name, **narrowed)
