"""Filters whose choices are few, however long the tables are."""

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from streamapp.conf import configuration
from streamapp.models import HeldRecord, Subscription
from streamapp.models.worker import WorkerState

OFFERED_AT_MOST = 30


class ChosenSubscription(admin.SimpleListFilter):
    """Narrows the list to one subscription: the first ones by name, and the one of the link that led here."""

    title = _("subscription")
    parameter_name = "subscription"
    lookup = "subscription__name"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer the first subscriptions and what is chosen already; search finds the others."""
        names = Subscription.objects.using(configuration().DATABASE).order_by("name")
        offered = set(names.values_list("name", flat=True)[:OFFERED_AT_MOST])
        chosen = request.GET.get(self.parameter_name)
        return [(name, name) for name in sorted(offered | ({chosen} if chosen else set()))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow to the chosen subscription."""
        return queryset.filter(**{self.lookup: self.value()}) if self.value() else queryset


class NeedsAttention(admin.SimpleListFilter):
    """Shards that stand still."""

    title = _("attention")
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the two reasons."""
        return [("held", _("holds records")), ("unread", _("no live worker"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow to one of the reasons."""
        if self.value() == "held":
            return queryset.filter(Exists(HeldRecord.objects.filter(checkpoint=OuterRef("pk"))))
        if self.value() == "unread":
            return queryset.filter(Q(lease=None) | ~Q(lease__worker__state=WorkerState.ALIVE))
        return queryset
