"""The overview: the first page an operator opens. It refreshes by itself and asks no broker."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from streamapp.admin.cells import EMPTY, age, lag
from streamapp.admin.overview_cells import Cells, per_second, state_mark
from streamapp.admin.sparkline import sparkline
from streamapp.services.overview import Glance, overview
from streamapp.services.states import needs_somebody
from streamapp.services.trends import Minute, Period, minutes, rate

if TYPE_CHECKING:
    from streamapp.admin.subscriptions import SubscriptionAdmin

ROWS_A_PAGE = 100
REFRESH_SECONDS = 5


class OverviewDesk:
    """Serves the overview on behalf of the page of subscriptions."""

    def __init__(self, page: "SubscriptionAdmin") -> None:
        """Take the page whose permissions, site and links hold."""
        self.page = page

    def show(self, request: HttpRequest) -> HttpResponse:
        """Show the whole page, or the rows only for the script that refreshes them."""
        if not self.page.has_view_permission(request):
            raise PermissionDenied
        if "fragment" in request.GET:
            return TemplateResponse(request, "admin/streamapp/overview_rows.html", self._rows(request))
        context = {
            **self.page.admin_site.each_context(request),
            **self._rows(request),
            "opts": self.page.opts,
            "media": self.page.media,
            "title": _("Overview"),
            "refresh_seconds": REFRESH_SECONDS,
        }
        return TemplateResponse(request, "admin/streamapp/overview.html", context)

    def _rows(self, request: HttpRequest) -> dict[str, Any]:
        seen = overview()
        shown = Paginator(seen.glances, ROWS_A_PAGE).get_page(request.GET.get("page"))
        trends = minutes([glance.row.pk for glance in shown if glance.row], Period.HOUR)
        rows = [self._cells(glance, trends) for glance in shown]
        urgent = sum(needs_somebody(glance.facts) for glance in seen.glances)
        return {"rows": rows, "now": seen.now, "problem": seen.problem, "shown": shown, "urgent": urgent}

    def _cells(self, glance: Glance, trends: Mapping[int, Sequence[Minute]]) -> dict[str, Any]:
        cells = Cells(glance, self.page.admin_site.name)
        if glance.row is None:
            return {"name": glance.name, "state": state_mark(glance.state), "notes": [_("has not run yet")]}
        own = trends.get(glance.row.pk, ())
        return {
            "name": cells.name(),
            "state": state_mark(glance.state),
            "notes": cells.notes(),
            "workers": f"{glance.facts.workers:,}",
            "shards": cells.shards(f"{glance.totals.shards:,}"),
            "lag": lag(glance.totals.lag) if glance.totals.lag.age_seconds is not None else EMPTY,
            "spark": sparkline(own, glance.row.now),
            "rate": per_second(rate(own, glance.row.now)),
            "held": cells.held(),
            "quarantined": cells.quarantined(),
            "oldest": age(glance.totals.oldest_at, glance.row.now),
        }
