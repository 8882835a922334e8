"""Redeliver, publish, purge: a page that says what would happen, then the deed in chunks with its progress.

A GET shows; only a POST does.
"""

import time
from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from streamapp.admin.controls import ReasonForm
from streamapp.admin.dry_run_links import dry_run_page
from streamapp.admin.row_ids import row_ids
from streamapp.admin.tallies import Tally
from streamapp.exceptions import ActionRefused
from streamapp.models import DelayedRecord
from streamapp.services.set_aside import (
    Done,
    DryRunSetAside,
    Publish,
    Purge,
    RedeliverSetAside,
    SetAsideAction,
    SkipHeldCopy,
)
from streamapp.services.wording import amount
from streamapp.store.audit import Asker

AT_MOST = 10_000
"""How many records one selection has; the rest is selected again."""
SECONDS = 5.0
"""How long one request goes on with chunks before it shows how far it is."""


class Kind:
    """An action with its title."""

    def __init__(self, action: type[SetAsideAction], title: Promise) -> None:
        self.action, self.title, self.permission = action, title, action.permission


TITLES = {
    "redeliver": Kind(RedeliverSetAside, gettext_lazy("Redeliver")),
    "dry-run": Kind(DryRunSetAside, gettext_lazy("Dry run")),
    "publish": Kind(Publish, gettext_lazy("Redeliver to the source")),
    "skip": Kind(SkipHeldCopy, gettext_lazy("Skip")),
    "purge": Kind(Purge, gettext_lazy("Purge")),
}
OF_DELAYED = ("skip",)
"""Actions on delayed records only."""


def titles(model: Any) -> dict[str, Kind]:
    """Return what may be done to the rows of a table."""
    return {name: kind for name, kind in TITLES.items() if model is DelayedRecord or name not in OF_DELAYED}


class SetAsideDesk:
    """Serves the actions on behalf of one of the pages."""

    def __init__(self, page: Any) -> None:
        """Take the page whose model, site and links hold."""
        self.page = page

    def begin(self, request: HttpRequest, name: str, chosen: "QuerySet[Any]") -> HttpResponse:
        """Ask about the selection of a list."""
        ids = list(chosen.order_by("pk").values_list("pk", flat=True)[: AT_MOST + 1])
        if len(ids) > AT_MOST:
            messages.warning(
                request,
                _("These are the first %(most)s. Select the rest again afterwards.")
                % {"most": f"{AT_MOST:,}"},
            )
        return self._ask(request, name, ids[:AT_MOST], self._form(name))

    def serve(self, request: HttpRequest, action: str) -> HttpResponse:
        """Show what an action would do, or do it and show how far it is."""
        if action not in titles(self.page.model):
            raise Http404
        if not request.user.has_perm(TITLES[action].permission) or not self.page.has_view_permission(request):
            raise PermissionDenied
        posted = request.method == "POST"
        ids = _ids(request.POST.get("ids", request.GET.get("ids", "")))
        form = self._form(action, request.POST if posted else None)
        if posted and form.is_valid():
            return self._go_on(request, action, ids, form.cleaned_data["reason"])
        return self._ask(request, action, ids, form)

    def _ask(self, request: HttpRequest, name: str, ids: Sequence[int], form: ReasonForm) -> HttpResponse:
        try:
            review = TITLES[name].action(self.page.model).review(ids)
        except ActionRefused as error:
            messages.error(request, str(error))
            return redirect(self._list())
        return self._page(request, "review", name, {"review": review, "form": form, "ids": _text(ids)})

    def _go_on(self, request: HttpRequest, name: str, ids: Sequence[int], reason: str) -> HttpResponse:
        action, tally = TITLES[name].action(self.page.model), Tally.posted(request.POST)
        until = time.monotonic() + SECONDS
        while ids and not tally.stopped:
            done = action.do(ids[: action.chunk], Asker("admin", request.user, reason))
            self._log(request, action, done, reason)
            tally, ids = tally.plus(done), ids[action.chunk :]
            if time.monotonic() >= until:  # looked at last, so that each request gets on
                break
        if ids and not tally.stopped:
            context = {"tally": tally, "ids": _text(ids), "left": len(ids), "reason": reason}
            return self._page(request, "progress", name, context)
        return self._end(request, action, tally)

    def _end(self, request: HttpRequest, action: SetAsideAction, tally: Tally) -> HttpResponse:
        if tally.done:
            said = {"what": amount(tally.done, "record"), "becomes": action.becomes}
            messages.success(request, _("%(what)s: %(becomes)s.") % said)
        for sentence in tally.sentences:
            messages.warning(request, sentence)
        if tally.stopped:
            messages.error(request, _("Stopped, the rest was not tried. %(why)s") % {"why": tally.stopped})
        return redirect(self._after(action))

    def _log(self, request: HttpRequest, action: SetAsideAction, done: Done, reason: str) -> None:
        stays = action.name == "redeliver" and self.page.opts.model_name == "delayedrecord"
        flag = CHANGE if stays or action.keeps else DELETION
        message = f"{action.name}: {action.becomes}. {reason}".strip()
        if done.rows:
            LogEntry.objects.log_actions(cast("int", request.user.pk), done.rows, flag, message)

    def _form(self, name: str, data: Any = None) -> ReasonForm:
        return ReasonForm(data, required=TITLES[name].action.needs_reason)

    def _page(self, request: HttpRequest, step: str, name: str, context: dict[str, Any]) -> HttpResponse:
        act = f"admin:streamapp_{self.page.opts.model_name}_act"
        common = {
            **self.page.admin_site.each_context(request),
            "opts": self.page.opts,
            "media": self.page.media,
            "title": TITLES[name].title,
            "act": reverse(act, args=[name], current_app=self.page.admin_site.name),
            "back": self._list(),
        }
        return TemplateResponse(request, f"admin/streamapp/set_aside_{step}.html", {**common, **context})

    def _after(self, action: SetAsideAction) -> str:
        """Return where to see what came of it: a dry run has a page of its own."""
        if isinstance(action, DryRunSetAside):
            return dry_run_page(self.page.admin_site.name, action.ordered)
        return self._list()

    def _list(self) -> str:
        name = f"admin:streamapp_{self.page.opts.model_name}_changelist"
        return reverse(name, current_app=self.page.admin_site.name)


def _ids(text: str) -> list[int]:
    return row_ids(text.split(",")[:AT_MOST])


def _text(ids: Sequence[int]) -> str:
    return ",".join(map(str, ids))
