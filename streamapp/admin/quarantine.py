"""The quarantine: records that could not be decoded, as they are."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import shortened, state, time
from streamapp.admin.filters import ChosenSubscription
from streamapp.admin.record_links import with_record
from streamapp.admin.set_aside import REST, VALUE, SetAsideAdmin
from streamapp.models import Checkpoint, Quarantined, Subscription
from streamapp.services.places import described

BYTES = ("value", "edited_value", "key", "headers")


class NamedSubscription(ChosenSubscription):
    """The same for a column with the name itself."""

    lookup = "subscription"


class QuarantinedAdmin(SetAsideAdmin):
    """Each record with its place, its bytes and why it is here."""

    first_step = _("Nothing to do: a record that can't be decoded will be kept here.")
    list_display = ("place", "subscription", "short_reason", "quarantined", "record_time")
    list_display_links = ("place",)
    list_filter = (NamedSubscription,)
    search_fields = ("subscription", "stream", "reason")
    ordering = ("-id",)
    fields = (
        "whole_place",
        "subscription",
        "reason",
        *VALUE,
        "quarantined",
        *REST,
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Quarantined]:
        """Leave the bytes to the page of one record; bring the broker, which can write positions."""
        owner = Subscription.objects.filter(name=OuterRef("subscription"))
        rows: QuerySet[Quarantined] = super().get_queryset(request).defer(*BYTES)
        return rows.annotate(
            broker=Subquery(owner.values("broker")[:1]), checkpoint=Subquery(_checkpoints().values("pk")[:1])
        )

    @admin.display(description=_("place"), ordering="id")
    def place(self, row: Any) -> str:
        """Write the place as a position is written; of a long number both ends."""
        whole = described(row.broker or "", row.position)
        return format_html('<span title="{}">{}/{}@{}</span>', whole, row.stream, row.shard, shortened(whole))

    @admin.display(description=_("place"))
    def whole_place(self, row: Any) -> str:
        """Write the place with the whole number, on the page of the record."""
        place = f"{row.stream}/{row.shard}@{described(row.broker or '', row.position)}"
        return with_record(row, self.admin_site.name, row.checkpoint, row.broker or "", row.position, place)

    @admin.display(description=_("reason"))
    def short_reason(self, row: Quarantined) -> str:
        """Show the beginning of the reason, and whether there is an edited copy."""
        reason = row.reason if len(row.reason) <= 120 else f"{row.reason[:120]}…"
        return format_html("{}<br>{}", state("idle", gettext("edited")), reason) if row.edited_at else reason

    @admin.display(description=_("quarantined at"), ordering="created_at")
    def quarantined(self, row: Quarantined) -> str:
        """Show since when it is here."""
        return time(row.created_at)


def _checkpoints() -> QuerySet[Checkpoint]:
    """Return the checkpoint of the shard of each row, if its subscription has one."""
    same = {name: OuterRef(name) for name in ("stream", "incarnation", "shard")}
    return Checkpoint.objects.filter(subscription__name=OuterRef("subscription"), **same)
