"""What is wrong now and what was lost, on the pages of workers, subscriptions and shards."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, state
from streamapp.services.alerts import SHOWN_AT_MOST, live_alerts, loss, recent_skips, telling


def alert_lines(alerts: QuerySet[Any]) -> str:
    """Show alerts one a line, and where the code of a stuck call is."""
    told = map(telling, alerts[:SHOWN_AT_MOST])
    cells = ((state("bad", str(each)), each.worker, _details(each.text)) for each in told)
    return format_html_join("", "<div>{} <small>{}</small>{}</div>", cells) or EMPTY


def skip_lines(skips: QuerySet[Any]) -> str:
    """Show what was skipped within the last days, one a line."""
    return _lines(map(loss, skips[:SHOWN_AT_MOST]))


def with_alert_count(rows: QuerySet[Any], path: str) -> QuerySet[Any]:
    """Annotate rows with `alert_count`; `path` leads from an alert to such a row."""
    own = live_alerts().filter(**{path: OuterRef("pk")}).order_by().values(path)
    counted: QuerySet[Any] = rows.annotate(
        alert_count=Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0)
    )
    return counted


class ShardAlerts:
    """The fields of a shard."""

    @admin.display(description=_("alerts"))
    def alerts(self, row: Any) -> str:
        """Show what live workers warn of."""
        return alert_lines(live_alerts().filter(checkpoint=row.pk))

    @admin.display(description=_("skipped lately"))
    def skips(self, row: Any) -> str:
        """Show where reading found its place gone and went on elsewhere."""
        return skip_lines(recent_skips().filter(checkpoint=row.pk))


class WorkerAlerts:
    """The column and the field of a worker."""

    @admin.display(description=_("alerts"), ordering="alert_count")
    def alert_count(self, row: Any) -> str:
        """Count what it warns of."""
        return state("bad", f"{row.alert_count:,}") if row.alert_count else "0"

    @admin.display(description=_("alerts"))
    def alerts(self, row: Any) -> str:
        """Show what it warns of."""
        return alert_lines(live_alerts().filter(worker=row.pk))


def _lines(told: Iterable[object]) -> str:
    return format_html_join("", "<div>{}</div>", ((each,) for each in told)) or EMPTY


def _details(text: str) -> str:
    return format_html('<pre class="streamapp-payload">{}</pre>', text) if "\n" in text else ""
