"""The record browser: a shard at a place, with what lies around it. It changes nothing."""

import shlex
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from streamapp.admin.record_cells import record_cells
from streamapp.admin.record_forms import PlaceForm
from streamapp.admin.record_links import may_look, records_url
from streamapp.conf import configuration
from streamapp.exceptions import InvalidPosition, StreamappError
from streamapp.models import Checkpoint
from streamapp.services import peek
from streamapp.services.wording import amount, span

if TYPE_CHECKING:
    from streamapp.admin.checkpoints import CheckpointAdmin

SHARDS_OFFERED = 500
MEBIBYTE = 1024 * 1024
QUICK = (
    ("earliest", gettext_lazy("oldest records")),
    ("-1h", gettext_lazy("an hour ago")),
    ("-5m", gettext_lazy("5 minutes ago")),
)
TAIL = "latest"


class RecordDesk:
    """Serves the page on behalf of the page of shards."""

    def __init__(self, page: "CheckpointAdmin") -> None:
        """Take the page whose site and media hold."""
        self.page = page

    def show(self, request: HttpRequest) -> HttpResponse:
        """Show records around a place, or only the form while no place is given."""
        if not may_look(request):
            raise PermissionDenied
        row = self._row(request.GET.get("shard", ""))
        form = PlaceForm(request.GET, shards=_offered(row)) if "at" in request.GET else None
        found, failure = self._look(row, form) if form else (None, "")
        form = form or PlaceForm(initial={"shard": row.pk}, shards=_offered(row))
        context = {"form": form, "failure": failure, "row": row, "quick": self._quick(row)}
        return self._page(request, row, {**context, **(self._found(row, found) if found else {})})

    def _row(self, text: str) -> Checkpoint:
        rows = Checkpoint.objects.using(configuration().DATABASE).select_related("subscription")
        row = (
            rows.filter(pk=int(text)).first()
            if text.isascii() and text.isdecimal() and len(text) < 19
            else None
        )
        if row is None:
            raise Http404(_("There is no such shard. Choose one in the list of shards."))
        return row

    def _look(self, row: Checkpoint, form: PlaceForm) -> tuple[peek.Look | None, str]:
        """Return what was found; else the error is at the field, or the second."""
        if not form.is_valid():
            return None, ""
        given = form.cleaned_data
        try:
            return (
                peek.look(
                    row.subscription.name, row.key, given["at"], before=given["before"], after=given["after"]
                ),
                "",
            )
        except InvalidPosition as error:
            form.add_error("at", str(error))
        except StreamappError as error:
            return None, str(error)
        return None, ""

    def _found(self, row: Checkpoint, found: peek.Look) -> dict[str, Any]:
        def way(at: str | None) -> str | None:
            return None if at is None else self._url(row, at=at, before=0, after=found.step)

        words = ["manage.py", "streams", "peek", row.subscription.name, found.asked, "--shard", str(row)]
        return {
            "look": found,
            "records": [
                record_cells(record, found, self._url(row, at=record.place)) for record in found.records
            ],
            "earlier": way(found.earlier),
            "later": way(found.later),
            "command": f"python {shlex.join(words)}",
        }

    def _quick(self, row: Checkpoint) -> list[tuple[str, Any]]:
        links = [(self._url(row, at=at, before=0), text) for at, text in QUICK]
        return [*links, (self._url(row, at=TAIL), _("last records"))]

    def _url(self, row: Checkpoint, **query: object) -> str:
        return records_url(self.page.admin_site.name, row.pk, **query)

    def _page(self, request: HttpRequest, row: Checkpoint, context: dict[str, Any]) -> HttpResponse:
        common = {
            **self.page.admin_site.each_context(request),
            "opts": self.page.opts,
            "media": self.page.media,
            "title": _("Records of %(shard)s") % {"shard": row},
            "bounds": _bounds(),
        }
        return TemplateResponse(request, "admin/streamapp/records.html", {**common, **context})


def way_to_records(site: str, request: HttpRequest, row: Checkpoint) -> dict[str, str]:
    """Return what the page of a shard needs to lead to its records; nothing for who may not see them."""
    return {"records_url": records_url(site, row.pk)} if may_look(request) else {}


def _offered(row: Checkpoint) -> list[tuple[int, str]]:
    """Return the first shards of the subscription, and the one that is shown."""
    rows: QuerySet[Checkpoint] = Checkpoint.objects.using(configuration().DATABASE).filter(
        subscription=row.subscription_id
    )
    shown = list(rows.order_by("stream", "pk")[:SHARDS_OFFERED])
    return [(each.pk, str(each)) for each in ([] if row in shown else [row]) + shown]


def _bounds() -> str:
    records = amount(2 * peek.MOST_RECORDS, "record")
    return f"{records}, {peek.SIZE // MEBIBYTE} MiB, {span(peek.SECONDS)}"
