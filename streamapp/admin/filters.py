"""Filters that never list another table."""

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from streamapp.models import HeldRecord
from streamapp.models.worker import WorkerState


class ChosenSubscription(admin.SimpleListFilter):
    """Appears when a link from a subscription's page has narrowed the list, and can be taken off."""

    title = _("subscription")
    parameter_name = "subscription"
    lookup = "subscription__name"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer what is chosen already, and nothing else."""
        chosen = request.GET.get(self.parameter_name)
        return [(chosen, chosen)] if chosen else []

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
