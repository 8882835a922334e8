"""What the page of a subscription shows beside its fields: figures, shards, held records, lineage."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.urls import reverse

from streamapp.admin.alerts import alert_lines, skip_lines
from streamapp.admin.cells import lag, link, position, short_position, shortened, state, time, time_with_age
from streamapp.admin.overview_cells import cells
from streamapp.admin.shards import reading_cell, with_waits
from streamapp.models import HeldRecord, Subscription
from streamapp.services.alerts import live_alerts, recent_skips
from streamapp.services.kinship import Kin, kinship
from streamapp.services.lag import sampled_lag
from streamapp.services.lineage import Stage
from streamapp.services.overview import Glance, overview
from streamapp.services.trends import Period, minutes
from streamapp.services.worst import shards, worst_first

SHARDS_A_PAGE = 25
HELD_AT_MOST = 50
KIN_AT_MOST = 100
DRAWN = 5
"""How many shards have a line in the plot of positions."""
MARKS = {Stage.OPEN: "good", Stage.WAITING: "warn", Stage.RETIRED: "idle", Stage.FINISHED: "idle"}


class SubscriptionPage:
    """Puts the page of one subscription together."""

    def __init__(self, subscription: Subscription, site: str) -> None:
        """Take the name of the site within which links lead."""
        self._subscription = subscription
        self._site = site

    def figures(self) -> dict[str, Any]:
        """Return the figures, and what is wrong: alerts, what was skipped, held records, what waits."""
        own = self._subscription
        kin = kinship(own.pk)
        alerts = live_alerts().filter(checkpoint__subscription=own.pk)
        return {
            "figures": self._figures(),
            "alert_lines": alert_lines(alerts),
            "skip_lines": skip_lines(recent_skips().filter(checkpoint__subscription=own.pk)),
            "held": [self._held(row) for row in self._held_rows()],
            "kin": [self._kin(each) for each in kin[:KIN_AT_MOST]],
            "kin_left_out": max(len(kin) - KIN_AT_MOST, 0),
        }

    def shards(self, request: HttpRequest) -> dict[str, Any]:
        """Return one page of shards, the worst first."""
        page = Paginator(worst_first(self._subscription.pk), SHARDS_A_PAGE).get_page(request.GET.get("page"))
        return {"page": page, "shards": [self._shard(row) for row in with_waits(shards(list(page)))]}

    def worst(self) -> list[Any]:
        """Return the shards whose positions are drawn."""
        return shards(list(worst_first(self._subscription.pk)[:DRAWN]))

    def _figures(self) -> dict[str, Any]:
        glance = self._glance()
        return cells(glance, minutes([glance.row.pk], Period.HOUR).get(glance.row.pk, ()), self._site)

    def _glance(self) -> Glance:
        [glance] = overview(self._subscription.name).glances
        return glance

    def _held_rows(self) -> list[Any]:
        own = HeldRecord.objects.using(self._subscription._state.db)
        rows = own.filter(checkpoint__subscription=self._subscription.pk)
        return list(rows.select_related("checkpoint").order_by("held_at", "pk")[:HELD_AT_MOST])

    def _shard(self, row: Any) -> dict[str, Any]:
        return {
            "name": self._link(row),
            "position": short_position(row.subscription.broker, row.position),
            "lag": lag(sampled_lag(row, row.now)),
            "held": state("bad", f"{row.held_count:,}") if row.held_count else "0",
            "owner": reading_cell(row, self._site),
            "epoch": f"{row.epoch:,}",
            "moved": time_with_age(row.saved_at, row.now),
        }

    def _held(self, row: HeldRecord) -> dict[str, Any]:
        return {
            "row": row,
            "shard": self._link(row.checkpoint),
            "position": position(self._subscription.broker, row.position),
            "reason": row.reason,
            "held_at": time(row.held_at),
        }

    def _kin(self, kin: Kin) -> dict[str, Any]:
        return {
            "name": self._link(kin.row),
            "state": state(MARKS[kin.stage], kin.stage.value),
            "parents": ", ".join(kin.row.parents),
            "waits": [wait.told(wait.held and shortened(wait.held)) for wait in kin.waits],
        }

    def _link(self, row: Any) -> str:
        page = reverse("admin:streamapp_checkpoint_change", args=[row.pk], current_app=self._site)
        return link(page, str(row))
