"""The steps of a rewind in the admin: choose, ask, review, apply. Only the last one writes."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from streamapp import positions
from streamapp.admin.forms import RewindForm
from streamapp.conf import configuration
from streamapp.exceptions import StalePlan, StreamappError
from streamapp.models import Checkpoint, Rewind
from streamapp.services import rewind
from streamapp.services.plans import Plan

if TYPE_CHECKING:
    from streamapp.admin.checkpoints import CheckpointAdmin

FORMS = (
    ("earliest", "the oldest record kept"),
    ("latest", "the end: only new records"),
    ("3@1200", "record 1200 of shard 3; the other shards stay"),
    ("orders/3@1200", "the same, for a subscription to several streams"),
    ("shardId-000000000000@4963…", "on Kinesis: the record of that sequence number, on that shard"),
    ("2026-11-01T00:00:00Z", "in every shard the first record from then on"),
    ("-7d", "so long ago; s, m, h or d"),
)


class RewindDesk:
    """Serves the steps on behalf of the page of shards."""

    def __init__(self, page: "CheckpointAdmin") -> None:
        """Take the page whose permissions, site and links hold."""
        self.page = page

    def begin(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask for the position, for shards of one subscription; else say so on the list."""
        names = set(chosen.order_by().values_list("subscription__name", flat=True).distinct()[:2])
        if len(names) != 1:
            messages.error(request, _("Choose shards of one subscription: a rewind belongs to one."))
            return None
        [name] = names
        ids = sorted(chosen.values_list("pk", flat=True))
        whole = len(ids) == _checkpoints(name).count()
        text = "" if whole else ",".join(map(str, ids))
        return self._ask(request, RewindForm(initial={"subscription": name, "chosen": text}), name, text)

    def ask(self, request: HttpRequest) -> HttpResponse:
        """Ask for the position, for the subscription, or the shard of it, whose page led here."""
        self._refuse_others(request)
        name, text = request.GET.get("subscription", ""), request.GET.get("chosen", "")
        if not _checkpoints(name).exists():
            messages.error(request, _("There is no checkpoint to rewind: it gets one at its first start."))
            return redirect(self._list())
        return self._ask(request, RewindForm(initial={"subscription": name, "chosen": text}), name, text)

    def review(self, request: HttpRequest) -> HttpResponse:
        """Show what the position means for each shard; changes nothing."""
        if (elsewhere := self._elsewhere(request)) is not None:
            return elsewhere
        form = RewindForm(request.POST)
        name, text = request.POST.get("subscription", ""), request.POST.get("chosen", "")
        if not form.is_valid():
            return self._ask(request, form, name, text)
        try:
            plan = _plan(name, form.cleaned_data["position"], form.cleaned_data["chosen"])
        except StreamappError as error:
            form.add_error("position", str(error))
            return self._ask(request, form, name, text)
        return self._show(request, plan, form, text)

    def apply(self, request: HttpRequest) -> HttpResponse:
        """Write exactly what was reviewed, and lead to the rewind's own page."""
        if (elsewhere := self._elsewhere(request)) is not None:
            return elsewhere
        reason = request.POST.get("reason", "")
        try:
            plan = Plan.unsign(request.POST.get("plan", ""))
            row = rewind.apply(plan, user=request.user, origin="admin", reason=reason)
        except StalePlan as error:
            messages.error(request, str(error))
            return redirect(self._list())
        self.page.log_change(request, row.subscription, f"Rewound {plan.scope} to {plan.target}.")
        messages.success(request, _("The rewind is stored. Workers apply it within a second or so."))
        return redirect(self._link("admin:streamapp_rewind_change", row))

    def _elsewhere(self, request: HttpRequest) -> HttpResponse | None:
        self._refuse_others(request)
        return None if request.method == "POST" else redirect(self._list())

    def _refuse_others(self, request: HttpRequest) -> None:
        if not self.page.has_rewind_permission(request):
            raise PermissionDenied

    def _ask(self, request: HttpRequest, form: RewindForm, name: str, chosen: str) -> HttpResponse:
        count = len(chosen.split(",")) if chosen else _checkpoints(name).count()
        context = {"form": form, "position_forms": FORMS, "count": count, "whole": not chosen}
        return self._page(request, "form", name, context)

    def _show(self, request: HttpRequest, plan: Plan, form: RewindForm, chosen: str) -> HttpResponse:
        reason = form.cleaned_data["reason"]
        context = {"plan": plan, "signed": plan.sign(), "reason": reason, "command": plan.command(reason)}
        return self._page(request, "review", plan.subscription, {**context, "chosen": chosen})

    def _page(self, request: HttpRequest, step: str, name: str, context: dict[str, Any]) -> HttpResponse:
        common = {
            **self.page.admin_site.each_context(request),
            "opts": self.page.opts,
            "media": self.page.media,
            "title": _("Rewind %(name)s") % {"name": name},
            "subscription": name,
        }
        return TemplateResponse(request, f"admin/streamapp/rewind_{step}.html", {**common, **context})

    def _list(self) -> str:
        return self._link("admin:streamapp_checkpoint_changelist")

    def _link(self, name: str, row: Rewind | None = None) -> str:
        return reverse(name, args=[row.pk] if row else [], current_app=self.page.admin_site.name)


def way_to_rewind(
    site: AdminSite, request: HttpRequest, subscription: str, chosen: str = ""
) -> dict[str, str]:
    """Return what a page needs to lead to the first step; nothing for somebody who may not take it."""
    if not request.user.has_perm("streamapp.rewind_checkpoint"):
        return {}
    query = urlencode({"subscription": subscription, "chosen": chosen})
    return {"rewind_url": f"{reverse('admin:streamapp_rewind_ask', current_app=site.name)}?{query}"}


def _checkpoints(subscription: str) -> QuerySet[Checkpoint]:
    return Checkpoint.objects.using(configuration().DATABASE).filter(subscription__name=subscription)


def _plan(subscription: str, position: positions.Position, chosen: list[int] | None) -> Plan:
    if chosen is None:
        return rewind.plan_mounted(subscription, position)
    rows = _checkpoints(subscription).filter(pk__in=chosen)
    return rewind.plan_mounted(subscription, position, [row.key for row in rows])
