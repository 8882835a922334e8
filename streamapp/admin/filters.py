"""Filters whose choices are few, however long the tables are."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from streamapp.conf import configuration
from streamapp.models import HeldRecord, Subscription
from streamapp.models.worker import WorkerState
from streamapp.positions import SHARD_END
from streamapp.services.alerts import with_alerts
from streamapp.services.lineage import waits_of
from streamapp.services.totals import LIVE

OFFERED_AT_MOST = 30
AUDITED = (
    "rewind",
    "pause",
    "resume",
    "skip",
    "redeliver",
    "dry run",
    "release",
    "drain",
    "undrain",
    "edit",
    "publish",
    "purge",
)


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


class HeldBySubscription(ChosenSubscription):
    """Narrows held records to one subscription."""

    lookup = "checkpoint__subscription__name"


class AuditedAction(admin.SimpleListFilter):
    """Narrows the trail to one kind of action; no query finds out which there are."""

    title = _("action")
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer all kinds."""
        return [(name, name) for name in AUDITED]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow to the kind."""
        return queryset.filter(action=self.value()) if self.value() else queryset


class HeldCopies(admin.SimpleListFilter):
    """Narrows the delayed records to those that wait for an operator, or for their time."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer both."""
        return [("held", _("held")), ("waiting", _("waits until it is due"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow to the state."""
        known = self.value() in ("held", "waiting")
        return queryset.filter(due_at__isnull=self.value() == "held") if known else queryset


class ReadBy(admin.SimpleListFilter):
    """Narrows the list to the shards of the worker whose link led here."""

    title = _("worker")
    parameter_name = "worker"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer the chosen worker only: there is one for each process of the last days."""
        chosen = request.GET.get(self.parameter_name)
        return [(chosen, chosen[:8])] if chosen else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow to the worker; what is no identity reads nothing."""
        if (chosen := self.value()) is None:
            return queryset
        try:
            return queryset.filter(lease__worker=UUID(chosen))
        except ValueError:
            return queryset.none()


class WorkerStanding(admin.SimpleListFilter):
    """Narrows the workers to those of which the list says one word."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the words of the list."""
        return [
            ("alive", _("alive")),
            ("drained", _("drained")),
            ("silent", _("silent")),
            ("dead", _("dead")),
            ("departed", _("departed")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow to the word."""
        if (word := self.value()) is None:
            return queryset
        if word not in ("alive", "drained", "silent"):
            return queryset.filter(state=word)
        alive, is_silent = queryset.filter(state=WorkerState.ALIVE), Q(heartbeat_at__lt=Now() - F("ttl"))
        if word == "silent":
            return alive.filter(is_silent)
        return alive.filter(~is_silent, drained_at__isnull=word == "alive")


class NeedsAttention(admin.SimpleListFilter):
    """Shards that stand still, or soon may."""

    title = _("attention")
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the four reasons."""
        return [
            ("held", _("holds records")),
            ("alert", _("has alerts")),
            ("unread", _("no live worker")),
            ("paused", _("paused")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow to one of the reasons."""
        if self.value() == "held":
            return queryset.filter(Exists(HeldRecord.objects.filter(checkpoint=OuterRef("pk"))))
        if self.value() == "alert":
            return with_alerts(queryset)
        if self.value() == "paused":
            return queryset.filter(is_paused=True)
        if self.value() == "unread":
            return _to_be_read(queryset.exclude(LIVE))
        return queryset


def _to_be_read(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Leave out what no worker has to read: finished and retired shards, and children that wait."""
    readable = rows.filter(retired_at=None).exclude(position=SHARD_END)
    children = readable.exclude(parents=[]).select_related("subscription")
    return readable.exclude(pk__in=waits_of(children))
