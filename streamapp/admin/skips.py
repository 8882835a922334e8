"""The trail of what retention has taken."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import short_position, time_with_age
from streamapp.admin.filters import ChosenSubscription
from streamapp.admin.reading import ReadingAdmin
from streamapp.admin.record_links import with_record
from streamapp.models import Skip


class ChosenBySkip(ChosenSubscription):
    """Narrows the list to one subscription."""

    lookup = "checkpoint__subscription__name"


class SkipAdmin(ReadingAdmin):
    """Where reading found its place gone, and how many records it left out when it went on."""

    first_step = _("Nothing to do: a row comes when a log no longer keeps the place of a checkpoint.")
    list_display = ("shard", "subscription", "from_place", "to_place", "record_count", "policy", "when")
    fields = list_display
    list_filter = (ChosenBySkip,)
    list_select_related = ("checkpoint__subscription",)
    search_fields = ("checkpoint__stream", "=checkpoint__shard")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Bring the present moment along."""
        rows: QuerySet[Any] = super().get_queryset(request).annotate(now=Now())
        return rows

    @admin.display(description=_("shard"))
    def shard(self, row: Skip) -> str:
        """Show which shard it was."""
        return str(row.checkpoint)

    @admin.display(description=_("subscription"))
    def subscription(self, row: Skip) -> str:
        """Show which subscription read it."""
        return row.checkpoint.subscription.name

    @admin.display(description=_("place that was gone"))
    def from_place(self, row: Skip) -> str:
        """Show where reading stood."""
        return self._place(row, row.old_position)

    @admin.display(description=_("went on at"))
    def to_place(self, row: Skip) -> str:
        """Show where it went on."""
        return self._place(row, row.new_position)

    def _place(self, row: Skip, number: int) -> str:
        broker = row.checkpoint.subscription.broker
        cell = short_position(broker, number)
        return with_record(row, self.admin_site.name, row.checkpoint_id, broker, number, cell)

    @admin.display(description=_("records skipped, at most"), ordering="records")
    def record_count(self, row: Skip) -> str:
        """Show how many lay in between; Kinesis can't count them."""
        return "?" if row.records is None else f"{row.records:,}"

    @admin.display(description=_("when"), ordering="skipped_at")
    def when(self, row: Any) -> str:
        """Show when it happened."""
        return time_with_age(row.skipped_at, row.now)
