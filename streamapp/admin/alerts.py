"""What is wrong now and what was lost, on the pages of workers, subscriptions and shards."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, state
from streamapp.admin.record_links import with_record
from streamapp.services.alerts import SHOWN_AT_MOST, live_alerts, loss, recent_skips, telling


def alert_lines(alerts: QuerySet[Any], row: Any, site: str) -> str:
    """Show alerts one a line, each leading to its record, and where the code of a stuck call is."""
    told = ((alert, telling(alert)) for alert in alerts[:SHOWN_AT_MOST])
    cells = (
        (_leading(alert, each.position, row, site, state("bad", str(each))), each.worker, _details(each.text))
        for alert, each in told
    )
    return format_html_join("", "<div>{} <small>{}</small>{}</div>", cells) or EMPTY


def skip_lines(skips: QuerySet[Any], row: Any, site: str) -> str:
    """Show what was skipped within the last days, one a line, each leading to where reading went on."""
    told = (_leading(skip, skip.new_position, row, site, str(loss(skip))) for skip in skips[:SHOWN_AT_MOST])
    return format_html_join("", "<div>{}</div>", ((each,) for each in told)) or EMPTY


def _leading(about: Any, position: int, row: Any, site: str, cell: str) -> str:
    """Let a line about a place on a shard lead to the record there."""
    broker = about.checkpoint.subscription.broker
    return with_record(row, site, about.checkpoint_id, broker, position, cell)


def with_alert_count(rows: QuerySet[Any], path: str) -> QuerySet[Any]:
    """Annotate rows with `alert_count`; `path` leads from an alert to such a row."""
    own = live_alerts().filter(**{path: OuterRef("pk")}).order_by().values(path)
    counted: QuerySet[Any] = rows.annotate(
        alert_count=Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0)
    )
    return counted


class ShardAlerts:
    """The fields of a shard."""

    admin_site: admin.AdminSite

    @admin.display(description=_("alerts"))
    def alerts(self, row: Any) -> str:
        """Show what live workers warn of."""
        return alert_lines(live_alerts().filter(checkpoint=row.pk), row, self.admin_site.name)

    @admin.display(description=_("skipped lately"))
    def skips(self, row: Any) -> str:
        """Show where reading found its place gone and went on elsewhere."""
        return skip_lines(recent_skips().filter(checkpoint=row.pk), row, self.admin_site.name)


class WorkerAlerts:
    """The column and the field of a worker."""

    admin_site: admin.AdminSite

    @admin.display(description=_("alerts"), ordering="alert_count")
    def alert_count(self, row: Any) -> str:
        """Count what it warns of."""
        return state("bad", f"{row.alert_count:,}") if row.alert_count else "0"

    @admin.display(description=_("alerts"))
    def alerts(self, row: Any) -> str:
        """Show what it warns of."""
        return alert_lines(live_alerts().filter(worker=row.pk), row, self.admin_site.name)


def _details(text: str) -> str:
    return format_html('<pre class="streamapp-payload">{}</pre>', text) if "\n" in text else ""
