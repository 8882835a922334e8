"""The list of workers."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from streamapp.admin.alerts import WorkerAlerts, with_alert_count
from streamapp.admin.cells import link, state, time, time_with_age
from streamapp.admin.reading import ReadingAdmin
from streamapp.models import Lease, Worker
from streamapp.services.wording import span
from streamapp.services.workers import worker_state

MARKS = {"alive": "good", "silent": "warn", "nobody": "warn", "dead": "bad", "departed": "idle"}


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
    fields = (*list_display[:-1], "alerts", "started", "time_to_live")
    list_filter = ("state",)
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
