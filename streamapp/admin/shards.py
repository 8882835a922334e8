"""Who reads a shard, or why nobody has to."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from streamapp.admin.cells import link, state, time_with_age
from streamapp.admin.reading import BoundedChangeList
from streamapp.admin.record_links import told_with_record
from streamapp.admin.workers import worker_mark
from streamapp.services.lineage import Stage, stage, waits_of
from streamapp.services.workers import owner


def with_waits(rows: Sequence[Any]) -> Sequence[Any]:
    """Give each checkpoint its `waits`: what it waits for; at most one query for all."""
    found = waits_of(rows)
    for row in rows:
        row.waits = found.get(row.pk, ())
    return rows


class ShardList(BoundedChangeList):
    """A page of shards that know what they wait for."""

    def get_results(self, request: HttpRequest) -> None:
        """Ask once for the whole page, and before that for its ids: only those are sorted."""
        super().get_results(request)
        ids = list(self.result_list.values_list("pk", flat=True))
        rows = self.queryset.in_bulk(ids)
        self.result_list = with_waits([rows[pk] for pk in ids if pk in rows])


def reading_cell(row: Any, site: str, looker: Any) -> str:
    """Show the owner and whether it lives; or that the shard is finished, waits, or has left its stream.

    `looker` is the row of the page, which tells whether positions lead to their records.
    """
    match stage(row, row.waits):
        case Stage.FINISHED:
            return _ended(row, state("idle", _("finished")))
        case Stage.RETIRED:
            return _ended(row, state("warn", _("retired")))
        case Stage.WAITING:
            broker = row.subscription.broker
            told = ((wait, told_with_record(looker, site, broker, wait)) for wait in row.waits)
            parents = format_html_join("", '<br><small title="{}">{}</small>', told)
            return format_html("{}{}", state("idle", _("waits for")), parents)
    return _read(row, site)


def _ended(row: Any, mark: str) -> str:
    if row.retired_at is None:
        return mark
    since = time_with_age(row.retired_at, row.now)
    return format_html("{}<br><small>{} {}</small>", mark, _("left its stream"), since)


def _read(row: Any, site: str) -> str:
    worker = owner(row)
    mark = worker_mark(worker, row.now)
    if row.is_paused:
        mark = format_html("{}<br>{}", state("warn", _("paused")), mark)
    if worker is None:
        return mark
    page = reverse("admin:streamapp_worker_change", args=[worker.pk], current_app=site)
    return format_html("{}<br><small>{}</small>", mark, link(page, str(worker)))
