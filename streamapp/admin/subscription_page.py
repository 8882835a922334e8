"""What the page of a subscription shows beside its fields: figures, shards, held records, lineage."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from streamapp.admin.alerts import alert_lines, skip_lines
from streamapp.admin.cells import lag, link, position, short_position, state, time, time_with_age
from streamapp.admin.overview_cells import cells
from streamapp.admin.record_links import told_with_record, with_record
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
LONGEST_REASON = 300
DRAWN = 5
"""How many shards have a line in the plot of positions."""
MARKS = {Stage.OPEN: "good", Stage.WAITING: "warn", Stage.RETIRED: "idle", Stage.FINISHED: "idle"}


class SubscriptionPage:
    """Puts the page of one subscription together."""

    def __init__(self, subscription: Subscription, site: str) -> None:
        """Take the row, of `ReadingAdmin.get_queryset`, and the name of the site within which links lead."""
        self._subscription = subscription
        self._site = site

    def figures(self) -> dict[str, Any]:
        """Return the figures, and what is wrong: alerts, what was skipped, held records, what waits."""
        own = self._subscription
        kin = kinship(own.pk)
        alerts = live_alerts().filter(checkpoint__subscription=own.pk)
        skips = recent_skips().filter(checkpoint__subscription=own.pk)
        return {
            "figures": self._figures(),
            "alert_lines": alert_lines(alerts, own, self._site),
            "skip_lines": skip_lines(skips, own, self._site),
            "held": [self._held(row) for row in self._held_rows()],
            "kin": [self._kin(each) for each in kin[:KIN_AT_MOST]],
            "kin_left_out": max(len(kin) - KIN_AT_MOST, 0),
        }

    def shards(self, request: HttpRequest) -> dict[str, Any]:
        """Return one page of shards, the worst first."""
        page = Paginator(worst_first(self._subscription.pk), SHARDS_A_PAGE).get_page(request.GET.get("page"))
        return {"page": page, "shards": [self._shard(row) for row in with_waits(shards(list(page)))]}

    def actions(self) -> list[str]:
        """Return the names of the actions that there is a reason for now."""
        held = self._glance.facts.held > 0
        return ["pause" if self._glance.standstill.whole is None else "resume", *["redeliver"] * held]

    def worst(self) -> list[Any]:
        """Return the shards whose positions are drawn."""
        return shards(list(worst_first(self._subscription.pk)[:DRAWN]))

    def _figures(self) -> dict[str, Any]:
        glance = self._glance
        return cells(glance, minutes([glance.row.pk], Period.HOUR).get(glance.row.pk, ()), self._site)

    @cached_property
    def _glance(self) -> Glance:
        [glance] = overview(self._subscription.name).glances
        return glance

    def _held_rows(self) -> list[Any]:
        own = HeldRecord.objects.using(self._subscription._state.db)
        rows = own.filter(checkpoint__subscription=self._subscription.pk)
        return list(rows.select_related("checkpoint").order_by("held_at", "pk")[:HELD_AT_MOST])

    def _shard(self, row: Any) -> dict[str, Any]:
        return {
            "row": row,
            "name": self._link(row),
            "position": self._place(row.pk, row.position, short_position(self._broker, row.position)),
            "lag": lag(sampled_lag(row, row.now)),
            "held": state("bad", f"{row.held_count:,}") if row.held_count else "0",
            "owner": reading_cell(row, self._site, self._subscription),
            "epoch": f"{row.epoch:,}",
            "moved": time_with_age(row.saved_at, row.now),
        }

    def _held(self, row: HeldRecord) -> dict[str, Any]:
        return {
            "shard": self._link(row.checkpoint),
            "position": self._place(row.checkpoint_id, row.position, position(self._broker, row.position)),
            "reason": self._held_page(row),
            "held_at": time(row.held_at),
        }

    def _kin(self, kin: Kin) -> dict[str, Any]:
        return {
            "name": self._link(kin.row),
            "state": state(MARKS[kin.stage], kin.stage.value),
            "parents": ", ".join(kin.row.parents),
            "waits": [
                told_with_record(self._subscription, self._site, self._broker, wait) for wait in kin.waits
            ],
        }

    @property
    def _broker(self) -> str:
        return self._subscription.broker

    def _place(self, checkpoint: int, number: int, cell: str) -> str:
        return with_record(self._subscription, self._site, checkpoint, self._broker, number, cell)

    def _held_page(self, row: HeldRecord) -> str:
        reason = Truncator(row.reason or _("no reason given")).chars(LONGEST_REASON)
        return link(self._page("heldrecord", row.pk), reason)

    def _link(self, row: Any) -> str:
        return link(self._page("checkpoint", row.pk), str(row))

    def _page(self, model: str, pk: int) -> str:
        return reverse(f"admin:streamapp_{model}_change", args=[pk], current_app=self._site)
