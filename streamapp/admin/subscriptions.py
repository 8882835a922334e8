"""The list of subscriptions."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Count, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import time, time_with_age
from streamapp.admin.reading import ReadingAdmin
from streamapp.models import Checkpoint, HeldRecord, Subscription

FIELDS = ("name", "broker", "streams", "group", "first_started", "shards", "held", "oldest_checkpoint")


class SubscriptionAdmin(ReadingAdmin):
    """What runs here, with the counts that tell whether it runs well."""

    first_step = _("Add an entry to STREAMAPP['SUBSCRIPTIONS'] and run `manage.py runconsumers`.")
    list_display = fields = FIELDS
    search_fields = ("name", "streams")
    ordering = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Count in the database, within the one query."""
        own = Checkpoint.objects.filter(subscription=OuterRef("pk")).order_by().values("subscription")
        held = HeldRecord.objects.filter(checkpoint__subscription=OuterRef("pk")).order_by()
        held_a_row = held.values("checkpoint__subscription").annotate(n=Count("pk")).values("n")
        counted_rows: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(
                now=Now(),
                shard_count=Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0),
                oldest=Subquery(own.annotate(n=Min("saved_at")).values("n")),
                held_count=Coalesce(Subquery(held_a_row), 0),
            )
        )
        return counted_rows

    @admin.display(description=_("first started"), ordering="started_at")
    def first_started(self, row: Any) -> str:
        """Show when it ran for the first time."""
        return time(row.started_at)

    @admin.display(description=_("shards"), ordering="shard_count")
    def shards(self, row: Any) -> str:
        """Lead to its shards."""
        return self._link(row, f"{row.shard_count:,}")

    @admin.display(description=_("held records"), ordering="held_count")
    def held(self, row: Any) -> str:
        """Lead to the shards that hold records."""
        return self._link(row, f"{row.held_count:,}", attention="held") if row.held_count else "0"

    @admin.display(description=_("oldest checkpoint"), ordering="oldest")
    def oldest_checkpoint(self, row: Any) -> str:
        """Show the save that is the longest ago."""
        return time_with_age(row.oldest, row.now)

    def _link(self, row: Subscription, text: str, **narrowed: str) -> str:
        shards = reverse("admin:streamapp_checkpoint_changelist", current_app=self.admin_site.name)
        query = urlencode({"subscription": row.name, **narrowed})
        return format_html('<a href="{}?{}">{}</a>', shards, query, text)
