"""The list of subscriptions."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from streamapp.admin.alerts import SubscriptionAlerts, with_alert_count
from streamapp.admin.cells import EMPTY, lag, link, time, time_with_age
from streamapp.admin.controls import ways
from streamapp.admin.desk_pages import way_to_rewind
from streamapp.admin.reading import COUNTED_AT_MOST, ReadingAdmin
from streamapp.conf import configuration
from streamapp.models import Checkpoint, HeldRecord, Quarantined, Subscription
from streamapp.positions import SHARD_END
from streamapp.services.lag import total_lag, with_total_lag
from streamapp.services.pauses import pauses, told

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


class SubscriptionAdmin(SubscriptionAlerts, ReadingAdmin):
    """What runs here, with the counts that tell whether it runs well."""

    first_step = _("Add an entry to STREAMAPP['SUBSCRIPTIONS'] and run `manage.py runconsumers`.")
    list_display = (*LISTED, "alert_count")
    fields = (*LISTED, "paused", "alerts", "skips", "first_started", "quarantined")
    change_form_template = "admin/streamapp/change_form.html"
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

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Lead from here to a rewind of the whole subscription, and to the other actions."""
        row = self.get_object(request, object_id)
        way = {} if row is None else self._ways(request, row)
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **way})

    def _ways(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        names = ["resume" if row.name in pauses([row.name]).whole else "pause"]
        names += ["redeliver"] * (row.held_count > 0)
        return {
            "ways": ways(request, self.admin_site.name, names, subscription=row.pk),
            **way_to_rewind(self.admin_site, request, row.name),
        }

    @admin.display(description=_("paused"))
    def paused(self, row: Subscription) -> str:
        """Show who paused it as a whole, and how many shards are paused by themselves."""
        found = pauses([row.name])
        whole = [told(found.whole[row.name])] if row.name in found.whole else []
        single = [_("%d by themselves") % len(found.shards)] if found.shards else []
        return "; ".join([*whole, *single]) or EMPTY

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

    @admin.display(description=_("quarantine"))
    def quarantined(self, row: Subscription) -> str:
        """Lead to its records in quarantine."""
        found = Quarantined.objects.using(configuration().DATABASE).filter(subscription=row.name)
        count = found.order_by().values("pk")[:COUNTED_AT_MOST].count()
        page = reverse("admin:streamapp_quarantined_changelist", current_app=self.admin_site.name)
        return link(page, f"{count:,}", subscription=row.name) if count else "0"

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
