"""From a position to its record, for those who may see records."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from streamapp.admin.cells import position as position_cell
from streamapp.admin.cells import short_position
from streamapp.positions import SHARD_END
from streamapp.services.lineage import Wait
from streamapp.services.places import UNREADABLE, described

PERMISSION = "streamapp.view_record"


def may_look(request: HttpRequest) -> bool:
    """Tell whether somebody may see records of the log."""
    return request.user.has_perm(PERMISSION)


def records_url(site: str, checkpoint: int, **query: object) -> str:
    """Return the page of records of a shard, by the id of its checkpoint; `at` in the query says where."""
    page = reverse("admin:streamapp_records", current_app=site)
    return f"{page}?{urlencode({'shard': checkpoint, **query})}"


def with_record(row: Any, site: str, checkpoint: int | None, broker: str, position: int, cell: str) -> str:
    """Return a cell that shows a position as a link to its record.

    It stays as it is for rows that carry no `may_look`, and where there can be no record. `site` is the
    name of the admin site; `row` comes from `ReadingAdmin.get_queryset`.
    """
    place = described(broker, position)
    if not getattr(row, "may_look", False) or checkpoint is None:
        return cell
    if position == SHARD_END or place == UNREADABLE:
        return cell
    return format_html('<a href="{}">{}</a>', records_url(site, checkpoint, at=place), cell)


def told_with_record(row: Any, site: str, broker: str, wait: Wait, *, whole: bool = False) -> str:
    """Return what a shard waits for; the place of the record that holds it up leads to that record.

    `row` and `site` as in `with_record`. The place is cut as in lists unless it shall be `whole`.
    """
    if wait.position is None or wait.held is None:
        return wait.parent
    place = position_cell(broker, wait.position) if whole else short_position(broker, wait.position)
    held = with_record(row, site, wait.checkpoint, broker, wait.position, place)
    return format_html("{} ({} {}: {})", wait.parent, _("held at"), held, wait.why)
