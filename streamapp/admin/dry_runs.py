"""Dry runs: who asked for them, which worker ran them, and what came of them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, shortened, state, time
from streamapp.admin.quarantine import NamedSubscription
from streamapp.admin.reading import ReadingAdmin
from streamapp.models import DryRun
from streamapp.services.dry_runs import UnsentRecord, is_good, left_out, stands, unsent
from streamapp.services.workers import live_workers

BLOCK = '<pre class="streamapp-payload">{}</pre>'


class DryRunAdmin(ReadingAdmin):
    """Each dry run; its page follows it until there is a result."""

    first_step = _(
        "Set DRY_RUN = True for a subscription whose handler writes to the database only. Its dead letters, "
        "quarantined, delayed and held records then have the button “Dry run”."
    )
    change_form_template = "admin/streamapp/dry_run.html"
    list_display = ("short_record", "subscription", "stand", "took", "asked", "asked_by")
    list_filter = (NamedSubscription,)
    search_fields = ("subscription", "place", "exception")
    search_help_text = _("Part of a subscription, record or exception.")
    ordering = ("-id",)
    fields = ("record", "subscription", "where", "asked", "asked_by", "reason")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Bring the worker, and the present moment, which tells whether a claim holds."""
        rows: QuerySet[Any] = super().get_queryset(request).select_related("worker").annotate(now=Now())
        return rows

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the run as far as it is, and what came of it."""
        row = self.get_object(request, object_id)
        shown = {} if row is None else self._result(row)
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def _result(self, row: Any) -> dict[str, Any]:
        return {
            "stand": self.stand(row),
            "is_over": row.ended_at is not None,
            "is_alone": row.ended_at is None and not live_workers([row.subscription]),
            "looked_at": time(row.now),
            "worker": row.worker or "",
            "claimed": time(row.claimed_at),
            "ended": time(row.ended_at),
            "took": self.took(row),
            "said": row.said,
            "exception": f"{row.exception}: {row.message}" if row.exception else "",
            "trace": format_html(BLOCK, row.trace) if row.trace else "",
            "moves": row.moves,
            "unsent": list(map(_cells, unsent(row, may_look=row.may_look))),
            "left_out": left_out(row),
        }

    @admin.display(description=_("record"), ordering="id")
    def short_record(self, row: DryRun) -> str:
        """Show where the record stood; of a long number both ends."""
        shard, _at, number = row.place.rpartition("@")
        return format_html('<span title="{}">{}@{}</span>', row.place, shard, shortened(number))

    @admin.display(description=_("record"))
    def record(self, row: DryRun) -> str:
        """Show where the record stood."""
        return format_html('<span class="streamapp-position">{}</span>', row.place)

    @admin.display(description=_("result"), ordering="outcome")
    def stand(self, row: Any) -> str:
        """Show how far it is, or what came of it."""
        mark = "good" if is_good(row) else "warn" if row.ended_at else "idle"
        return state(mark, stands(row))

    @admin.display(description=_("took"), ordering="milliseconds")
    def took(self, row: DryRun) -> str:
        """Show how long the handler took."""
        if row.milliseconds is None:
            return EMPTY
        return format_html('<span class="streamapp-nowrap">{} ms</span>', f"{row.milliseconds:,.1f}")

    @admin.display(description=_("asked at"), ordering="asked_at")
    def asked(self, row: DryRun) -> str:
        """Show when it was asked for."""
        return time(row.asked_at)


def _cells(record: UnsentRecord) -> dict[str, Any]:
    shown = record.shown
    hidden = gettext("Not shown: it takes the permission to see records.")
    headers = format_html_join("", "<div><b>{}</b>: {}</div>", shown.headers) if shown else ""
    return {
        "destination": record.destination,
        "size": f"{record.size:,}",
        "key": shown.key.text if shown else hidden,
        "headers": headers or EMPTY,
        "value": format_html(BLOCK, shown.value.text) if shown else hidden,
    }
