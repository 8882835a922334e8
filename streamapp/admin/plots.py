"""The figures of the plots, for the script that draws them."""

import time
from collections.abc import Sequence
from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils import timezone

from streamapp.services.plots import Chart
from streamapp.services.trends import Period


def period_of(request: HttpRequest) -> Period:
    """Return the period that an address asks for; an hour if it asks for none."""
    return Period.named(request.GET.get("period", ""))


def plot_context(site: AdminSite, request: HttpRequest, model: str, pk: int) -> dict[str, Any]:
    """Return what a page needs to show plots of a row: where their figures come from, and the period."""
    plot = reverse(f"admin:streamapp_{model}_plot", args=[pk], current_app=site.name)
    return {"plot_url": plot, "period": period_of(request).word, "periods": [each.word for each in Period]}


def answer(charts: Sequence[Chart], period: Period) -> JsonResponse:
    """Answer with charts, what their time axis shows, and in which zone."""
    end = int(time.time())
    values: dict[str, Any] = {
        "begin": end - int(period.length.total_seconds()),
        "end": end,
        "zone": timezone.get_current_timezone_name(),
        "charts": [chart.to_json() for chart in charts],
    }
    return JsonResponse(values)
