"""The operator's actions in the admin: a page that says what would happen and asks why, then the deed.

A GET shows; only a POST does.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from streamapp.admin.dry_run_links import dry_run_page
from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.models import Checkpoint, Subscription, Worker
from streamapp.models.fields import encode_position
from streamapp.services import actions
from streamapp.services.actions.scope import Scope

if TYPE_CHECKING:
    from streamapp.admin.checkpoints import CheckpointAdmin

KINDS: dict[str, type[actions.Action]] = {
    kind.name.replace(" ", "-"): kind
    for kind in (
        actions.Pause,
        actions.Resume,
        actions.Skip,
        actions.DryRunHeld,
        actions.Redeliver,
        actions.Release,
        actions.Drain,
        actions.Undrain,
    )
}
TITLES: dict[str, Promise] = {
    "pause": _("Pause"),
    "resume": _("Resume"),
    "skip": _("Skip a held record"),
    "dry-run": _("Dry run"),
    "redeliver": _("Redeliver held records"),
    "release": _("Release the lease"),
    "drain": _("Drain"),
    "undrain": _("Undo the drain"),
}


class ReasonForm(forms.Form):
    """Asks why."""

    reason = forms.CharField(
        label=_("Reason"),
        widget=forms.Textarea({"class": "vLargeTextField", "rows": 2, "autofocus": True}),
        help_text=_("Kept in the audit trail, for whoever asks later."),
    )

    def __init__(self, *arguments: Any, required: bool, **options: Any) -> None:
        """Let the reason be left out where the action can do without."""
        super().__init__(*arguments, **options)
        self.fields["reason"].required = required


class Subject(NamedTuple):
    """What an action is about, and the row whose page led there."""

    action: actions.Action
    row: Subscription | Checkpoint | Worker


class ControlDesk:
    """Serves the pages of all actions on behalf of the page of shards."""

    def __init__(self, page: "CheckpointAdmin") -> None:
        """Take the page whose site and links hold."""
        self.page = page

    def serve(self, request: HttpRequest, action: str) -> HttpResponse:
        """Show what an action would do, or do it."""
        kind = KINDS.get(action)
        if kind is None:
            raise Http404
        if not request.user.has_perm(kind.permission):
            raise PermissionDenied
        subject = _subject(kind, request.GET)
        form = ReasonForm(request.POST or None, required=kind.needs_reason)
        try:
            if request.method == "POST" and form.is_valid():
                return self._do(request, subject, form.cleaned_data["reason"])
            return self._ask(request, subject, form)
        except ActionRefused as error:
            messages.error(request, str(error))
            return redirect(self._back(subject))

    def _do(self, request: HttpRequest, subject: Subject, reason: str) -> HttpResponse:
        review = subject.action.do(actions.Asker("admin", request.user, reason))
        why = f" {reason}" if reason else ""
        self.page.log_change(request, subject.row, f"{review.action}: {review.subject}.{why}")
        messages.success(request, _("Stored. Running workers follow within a second or so."))
        return redirect(self._after(subject))

    def _ask(self, request: HttpRequest, subject: Subject, form: ReasonForm) -> HttpResponse:
        review = subject.action.review()
        context = {
            **self.page.admin_site.each_context(request),
            "opts": type(subject.row)._meta,
            "media": self.page.media,
            "title": TITLES[review.action.replace(" ", "-")],
            "review": review,
            "form": form,
            "back": self._back(subject),
        }
        return TemplateResponse(request, "admin/streamapp/control.html", context)

    def _after(self, subject: Subject) -> str:
        if isinstance(subject.action, actions.DryRunHeld) and subject.action.ordered:
            return dry_run_page(self.page.admin_site.name, [subject.action.ordered])
        return self._back(subject)

    def _back(self, subject: Subject) -> str:
        name = f"admin:streamapp_{subject.row._meta.model_name}_change"
        return reverse(name, args=[subject.row.pk], current_app=self.page.admin_site.name)


def _subject(kind: type[actions.Action], query: Any) -> Subject:
    """Find what the link names; 404 if it names nothing."""
    if issubclass(kind, actions.Drain | actions.Undrain):
        worker = _found(Worker, query.get("worker", ""), UUID)
        return Subject(kind(worker), worker)
    if "shard" not in query:
        subscription = _found(Subscription, query.get("subscription", ""), int)
        return Subject(_of_scope(kind, Scope(subscription)), subscription)
    shard = _found(Checkpoint, query["shard"], int)
    if issubclass(kind, actions.Skip | actions.DryRunHeld):
        return Subject(kind(shard, _number(query.get("position", ""), _place)), shard)
    return Subject(_of_scope(kind, Scope(shard.subscription, (shard.pk,))), shard)


def _of_scope(kind: type[actions.Action], scope: Scope) -> actions.Action:
    if issubclass(kind, actions.Pause | actions.Resume | actions.Redeliver | actions.Release):
        return kind(scope)
    raise Http404


def _found(model: type[Any], text: str, reading: Callable[[str], Any]) -> Any:
    rows = model.objects.using(configuration().DATABASE).select_related()
    row = rows.filter(pk=_number(text, reading)).first()
    if row is None:
        raise Http404
    return row


def _place(text: str) -> int:
    """Read a position. Raises ValueError for what can't be one."""
    encode_position(place := int(text))
    return place


def _number(text: str, reading: Callable[[str], Any]) -> Any:
    try:
        return reading(text)
    except ValueError as error:
        raise Http404 from error


def way(site: str, action: str, **subject: object) -> str:
    """Return the address of an action's page."""
    page = reverse("admin:streamapp_control", args=[action], current_app=site)
    return f"{page}?{urlencode(subject)}"


def ways(request: HttpRequest, site: str, names: "list[str]", **subject: object) -> list[dict[str, Any]]:
    """Return the links to those of the actions that the user may take."""
    return [
        {"title": TITLES[name], "url": way(site, name, **subject)}
        for name in names
        if request.user.has_perm(KINDS[name].permission)
    ]
