"""The overview: the first page an operator opens. It refreshes by itself and asks no broker."""

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from streamapp.admin.overview_cells import cells
from streamapp.services.overview import overview
from streamapp.services.states import needs_somebody
from streamapp.services.trends import Period, minutes

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
        site = self.page.admin_site.name
        rows = [cells(glance, trends.get(glance.row and glance.row.pk, ()), site) for glance in shown]
        urgent = sum(needs_somebody(glance.facts) for glance in seen.glances)
        return {"rows": rows, "now": seen.now, "problem": seen.problem, "shown": shown, "urgent": urgent}
