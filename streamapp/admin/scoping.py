"""The first step of a rewind: which shards. Ticks are kept from page to page without a script."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from streamapp.admin.row_ids import is_row_id, row_ids
from streamapp.models import Checkpoint
from streamapp.services.places import described
from streamapp.services.selection import Selection, found, present

SHARDS_A_PAGE = 200
"""Django takes at most a thousand fields from one form."""


@dataclass(frozen=True, slots=True)
class Scoping:
    """One look at the step: what is ticked, what is searched for, and which page is shown."""

    subscription: str
    selection: Selection
    stream: str = ""
    text: str = ""
    page: int = 1

    @classmethod
    def opened(cls, subscription: str, chosen: str = "") -> "Scoping":
        """Begin with these shards ticked, by default all."""
        return cls(subscription, _read(chosen, subscription))

    @classmethod
    def posted(cls, request: HttpRequest) -> "Scoping":
        """Follow the ticks of the page that was shown, and the button that was pressed."""
        given, name = request.POST, request.POST.get("subscription", "")
        selection = _read(given.get("chosen", ""), name)
        selection = selection.seen(
            row_ids(given.get("shown", "").split(",")), row_ids(given.getlist("ticked"))
        )
        stream, text = given.get("stream", ""), given.get("text", "").strip()
        selection = _pressed(given.get("step", ""), selection, found(name, stream, text))
        return cls(name, selection, stream, text, _page(given))

    def context(self) -> dict[str, Any]:
        """Return what the page shows."""
        rows = found(self.subscription, self.stream, self.text).select_related("subscription")
        page = Paginator(rows, SHARDS_A_PAGE).get_page(self.page)
        streams = present(self.subscription).order_by("stream").values_list("stream", flat=True).distinct()
        return {
            "page": page,
            "shards": [self._cells(row) for row in page],
            "shown": ",".join(str(row.pk) for row in page),
            "chosen": self.selection.write(),
            "ticked": len(self.selection.ticked),
            "every": len(self.selection.every),
            "streams": list(streams),
            "stream": self.stream,
            "text": self.text,
        }

    def _cells(self, row: Checkpoint) -> dict[str, Any]:
        ticked = row.pk in self.selection.ticked
        return {"row": row, "at": described(row.subscription.broker, row.position), "ticked": ticked}


def _pressed(step: str, selection: Selection, rows: QuerySet[Checkpoint]) -> Selection:
    change = {"only": selection.only, "tick": selection.more, "untick": selection.less}.get(step)
    return change(rows.values_list("pk", flat=True)) if change else selection


def _read(text: str, subscription: str) -> Selection:
    try:
        return Selection.read(text, present(subscription).values_list("pk", flat=True))
    except ValueError as error:
        raise SuspiciousOperation(_("The chosen shards arrived damaged. Choose them again.")) from error


def _page(given: QueryDict) -> int:
    """Return the page that a button leads to; a new search begins at the first."""
    asked = given.get("step", "").removeprefix("page ")
    return int(asked) if is_row_id(asked) else 1
