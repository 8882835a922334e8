"""The list of workers."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from streamapp.admin.alerts import WorkerAlerts, with_alert_count
from streamapp.admin.cells import EMPTY, link, state, time, time_with_age
from streamapp.admin.controls import ways
from streamapp.admin.filters import WorkerStanding
from streamapp.admin.reading import ReadingAdmin
from streamapp.models import Lease, Worker
from streamapp.services.actions.drain import told
from streamapp.services.wording import span
from streamapp.services.workers import is_live, worker_state

MARKS = {
    "alive": "good",
    "silent": "warn",
    "drained": "warn",
    "nobody": "warn",
    "dead": "bad",
    "departed": "idle",
}


def worker_mark(worker: Worker | None, now: datetime) -> str:
    """Show whether a worker lives; `silent` is one whose heartbeat is too old, not taken for dead yet."""
    word = worker_state(worker, now)
    return state(MARKS[word], word)


class WorkerAdmin(WorkerAlerts, ReadingAdmin):
    """The consumer processes, those of the last days included."""

    first_step = _("Run `manage.py runconsumers`: each consumer process is a row here.")
    list_display = (
        "identity",
        "state_now",
        "heartbeat",
        "host",
        "process_id",
        "subscription_names",
        "shards",
        "alert_count",
    )
    change_form_template = "admin/streamapp/change_form.html"
    fields = (*list_display[:-1], "drain", "alerts", "started", "time_to_live")
    list_filter = (WorkerStanding,)
    search_fields = ("host",)
    ordering = ("-started_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Count leases within the one query."""
        leases = Lease.objects.filter(worker=OuterRef("pk")).order_by().values("worker")
        counted = Subquery(leases.annotate(n=Count("pk")).values("n"))
        counted_rows: QuerySet[Any] = (
            super().get_queryset(request).annotate(now=Now(), shard_count=Coalesce(counted, 0))
        )
        return with_alert_count(counted_rows, "worker")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Lead from here to the drain, or to its undo, of a worker that lives."""
        row = self.get_object(request, object_id)
        names = [_drain_or_undo(row)] if row is not None and is_live(row, row.now) else []
        shown = {"ways": ways(request, self.admin_site.name, names, worker=object_id)}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    @admin.display(description=_("drain"))
    def drain(self, row: Any) -> str:
        """Show who drained it, and whether it still holds something."""
        if row.drained_at is None:
            return EMPTY
        left = _("still holds shards") if row.shard_count else _("holds nothing")
        return f"{left}, {told(row)}"

    @admin.display(description=_("worker"), ordering="id")
    def identity(self, row: Worker) -> str:
        """Show the beginning of the identity; it is enough to tell workers apart."""
        return str(row.pk)[:8]

    @admin.display(description=_("state"), ordering="state")
    def state_now(self, row: Any) -> str:
        """Show whether it lives."""
        return worker_mark(row, row.now)

    @admin.display(description=_("last heartbeat"), ordering="heartbeat_at")
    def heartbeat(self, row: Any) -> str:
        """Show the last sign of life."""
        return time_with_age(row.heartbeat_at, row.now)

    @admin.display(description=_("subscriptions"))
    def subscription_names(self, row: Worker) -> str:
        """List what it runs."""
        return ", ".join(row.subscriptions)

    @admin.display(description=_("shards"), ordering="shard_count")
    def shards(self, row: Any) -> str:
        """Count its leases and lead to them."""
        shards = reverse("admin:streamapp_checkpoint_changelist", current_app=self.admin_site.name)
        return link(shards, f"{row.shard_count:,}", worker=str(row.pk)) if row.shard_count else "0"

    @admin.display(description=_("started"), ordering="started_at")
    def started(self, row: Worker) -> str:
        """Show when it began."""
        return time(row.started_at)

    @admin.display(description=_("time to live"), ordering="ttl")
    def time_to_live(self, row: Worker) -> str:
        """Show for how long a heartbeat counts."""
        return span(row.ttl.total_seconds())


def _drain_or_undo(row: Worker) -> str:
    return "drain" if row.drained_at is None else "undrain"
