"""What all pages have in common: they only read, and their cost doesn't grow with the tables."""

from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet, Value
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise, cached_property
from django.utils.text import capfirst

from streamapp.admin.record_links import may_look
from streamapp.conf import configuration

COUNTED_AT_MOST = 100_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts up to a bound: a full count of millions of rows takes longer than an operator waits.

    Rows beyond it are found by search and filters.
    """

    @cached_property
    def count(self) -> int:
        """Return the number of rows, or the bound."""
        rows: QuerySet[Any] = cast("QuerySet[Any]", self.object_list).order_by().values("pk")
        return rows[:COUNTED_AT_MOST].count()


class BoundedChangeList(ChangeList):
    """Offers “Show all” only where a search or a filter hides something."""

    def get_results(self, request: HttpRequest) -> None:
        """Take the bounded count for the full one where nothing is hidden."""
        super().get_results(request)
        if not self.query and not self.has_active_filters:
            self.full_result_count = self.result_count


class ReadingAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A page that changes nothing. `first_step` says on an empty list what fills it."""

    first_step: str | Promise
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 100
    list_max_show_all = 0

    class Media:
        css = {"all": ("streamapp/admin.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Read from the database that streamapp writes to; tell rows whether their records may be seen."""
        rows: QuerySet[Any] = super().get_queryset(request).using(configuration().DATABASE)
        told: QuerySet[Any] = rows.annotate(may_look=Value(may_look(request)))
        return told

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[ChangeList]:
        """Use the list with the bounded count."""
        return BoundedChangeList

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Show every field as text."""
        shown: Any = self.fields
        return tuple(shown)

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        """Refuse: rows come from workers and services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: a row saved whole would overwrite what a worker just wrote."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: checkpoints and their trail are kept."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow whoever has the view or the change permission of the model."""
        names = (f"{self.opts.app_label}.{action}_{self.opts.model_name}" for action in ("view", "change"))
        return any(map(request.user.has_perm, names))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the list, with the first step for when it is empty."""
        shown = {"title": capfirst(self.opts.verbose_name_plural), "first_step": self.first_step}
        return super().changelist_view(request, {**(extra_context or {}), **shown})
