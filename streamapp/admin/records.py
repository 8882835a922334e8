"""The record browser: a shard at a place, with what lies around it. It changes nothing."""

import shlex
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from streamapp import registry
from streamapp.admin.record_cells import record_cells
from streamapp.admin.record_forms import PlaceForm
from streamapp.admin.record_links import may_look, records_url
from streamapp.admin.row_ids import is_row_id
from streamapp.conf import configuration
from streamapp.exceptions import ConfigurationError, InvalidPosition, StreamappError
from streamapp.models import Checkpoint
from streamapp.services import peek
from streamapp.services.wording import amount, span

if TYPE_CHECKING:
    from streamapp.admin.checkpoints import CheckpointAdmin

MEBIBYTE = 1024 * 1024
QUICK = (
    ("earliest", gettext_lazy("oldest records")),
    ("-1h", gettext_lazy("an hour ago")),
    ("-5m", gettext_lazy("5 minutes ago")),
)


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
        asks, counts = "at" in request.GET, _counts(row)
        form = PlaceForm(_given(request) if asks else None, row=row, counts=counts)
        found = self._look(row, form) if asks else None
        context = {"form": form, "row": row, "counts": counts, "quick": self._quick(row, counts)}
        return self._page(request, row, {**context, **(self._found(row, found) if found else {})})

    def _row(self, text: str) -> Checkpoint:
        rows = Checkpoint.objects.using(configuration().DATABASE).select_related("subscription")
        row = rows.filter(pk=_number(text)).first()
        if row is None:
            raise Http404(_("There is no such shard. Choose one in the list of shards."))
        return row

    def _look(self, row: Checkpoint, form: PlaceForm) -> peek.Look | None:
        """Return what was found; None if the form says what is wrong."""
        if not form.is_valid():
            return None
        given, name = form.cleaned_data, row.subscription.name
        try:
            return peek.look(name, row.key, given["at"], before=given["before"], after=given["after"])
        except StreamappError as error:
            form.add_error("at" if isinstance(error, InvalidPosition) else None, str(error))
        return None

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

    def _quick(self, row: Checkpoint, counts: bool) -> list[tuple[str, Any]]:
        links = [(self._url(row, at=at, before=0), text) for at, text in QUICK]
        return links + [(self._url(row, at=peek.TAIL), _("last records"))] * counts

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


def _counts(row: Checkpoint) -> bool:
    """Tell whether positions count records; what isn't configured any more can't be looked at anyway."""
    try:
        return peek.counts_records(registry.broker(row.subscription.broker))
    except ConfigurationError:
        return True


def _given(request: HttpRequest) -> dict[str, str]:
    """Return what was asked for, with the usual numbers where none are given, so that the form shows them."""
    given: dict[str, str] = request.GET.dict()
    return {**given, **{name: given.get(name) or str(peek.RECORDS) for name in ("before", "after")}}


def _number(text: str) -> int:
    """Return the id of a row; 0, which no row has, for what is none."""
    return int(text) if is_row_id(text) else 0


def _bounds() -> str:
    records = amount(2 * peek.MOST_RECORDS, "record")
    return f"{records}, {peek.SIZE // MEBIBYTE} MiB, {span(peek.SECONDS)}"
