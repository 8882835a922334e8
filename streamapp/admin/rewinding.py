"""The steps of a rewind in the admin: which shards, where to, review, apply. Only the last one writes."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from streamapp.admin.desk_pages import DeskPages, View
from streamapp.admin.forms import ApplyForm, TargetForm
from streamapp.admin.reviewing import changes, review_context
from streamapp.admin.row_ids import row_ids
from streamapp.admin.scoping import Scoping
from streamapp.conf import configuration
from streamapp.exceptions import StalePlan, StreamappError
from streamapp.models import Checkpoint, Rewind, Subscription
from streamapp.services import rewind
from streamapp.services.places import described
from streamapp.services.plans import Plan
from streamapp.services.selection import NONE, present
from streamapp.services.targets import Target


class RewindDesk(DeskPages):
    """Serves the steps on behalf of the page of shards."""

    def steps(self) -> list[tuple[str, str, View]]:
        """Return the name, the url and the view of each step."""
        return [
            ("ask", "", self.ask),
            ("scope", "scope/", self.scope),
            ("review", "review/", self.review),
            ("apply", "apply/", self.apply),
            ("undo", "undo/<int:number>/", self.undo),
        ]

    def begin(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask where to, for shards of one subscription; else say so on the list."""
        names = set(chosen.order_by().values_list("subscription__name", flat=True).distinct()[:2])
        if len(names) != 1:
            messages.error(request, _("Choose shards of one subscription: a rewind belongs to one."))
            return None
        [name] = names
        ids = sorted(chosen.values_list("pk", flat=True))
        whole = len(ids) == _checkpoints(name).count()
        return self._ask(request, name, "" if whole else ",".join(map(str, ids)))

    def ask(self, request: HttpRequest) -> HttpResponse:
        """Begin at a subscription, at a shard of it, or with the question which subscription is meant."""
        self.refuse_others(request)
        name, chosen = request.GET.get("subscription", ""), request.GET.get("chosen", "")
        if not name:
            return self.show(request, "subscription", "", {"subscriptions": _names()})
        if not (count := present(name).count()):
            messages.error(request, _("There is no checkpoint to rewind: it gets one at its first start."))
            return redirect(self.list())
        if chosen or count == 1:
            return self._ask(request, name, chosen)
        return self.show(request, "scope", name, Scoping.opened(name).context())

    def scope(self, request: HttpRequest) -> HttpResponse:
        """Follow the ticks, and go on to the next step once the operator wants to."""
        if (elsewhere := self.elsewhere(request)) is not None:
            return elsewhere
        scoping = Scoping.posted(request)
        chosen = scoping.selection.write()
        if request.POST.get("step") != "target":
            return self.show(request, "scope", scoping.subscription, scoping.context())
        if chosen == NONE:
            messages.error(request, _("No shard is ticked. Tick the shards that shall move."))
            return self.show(request, "scope", scoping.subscription, scoping.context())
        return self._ask(request, scoping.subscription, chosen)

    def review(self, request: HttpRequest) -> HttpResponse:
        """Show what the target means for each shard; changes nothing."""
        if (elsewhere := self.elsewhere(request)) is not None:
            return elsewhere
        if "plan" in request.POST:
            return self._turn(request)
        form = TargetForm(request.POST, request.FILES)
        name, chosen = request.POST.get("subscription", ""), request.POST.get("chosen", "")
        if not form.is_valid():
            return self._ask(request, name, chosen, form)
        try:
            plan = _plan(name, form.target, form.cleaned_data["chosen"])
        except StreamappError as error:
            form.refuse(str(error))
            return self._ask(request, name, chosen, form)
        return self._show(request, plan)

    def undo(self, request: HttpRequest, number: int) -> HttpResponse:
        """Review the way back of a rewind."""
        if (elsewhere := self.elsewhere(request)) is not None:
            return elsewhere
        row = get_object_or_404(Rewind.objects.using(configuration().DATABASE), pk=number)
        try:
            return self._show(request, rewind.plan_undo(row))
        except StreamappError as error:
            messages.error(request, str(error))
            return redirect(self.link("admin:streamapp_rewind_change", row.pk))

    def apply(self, request: HttpRequest) -> HttpResponse:
        """Write exactly what was reviewed, and lead to the rewind's own page."""
        if (elsewhere := self.elsewhere(request)) is not None:
            return elsewhere
        try:
            plan = Plan.unsign(request.POST.get("plan", ""))
        except StalePlan as error:
            messages.error(request, str(error))
            return redirect(self.list())
        form = _last_questions(plan, request.POST)
        if not form.is_valid():
            return self._show(request, plan, form, request.POST["plan"])
        try:
            row = rewind.apply(plan, user=request.user, origin="admin", reason=form.cleaned_data["reason"])
        except StalePlan as error:
            return self._refuse(request, plan, error)
        self.page.log_change(request, row.subscription, f"Rewound {plan.scope} to {plan.target}.")
        messages.success(request, _("The rewind is stored. Workers apply it within a second or so."))
        return redirect(self.link("admin:streamapp_rewind_change", row.pk))

    def _turn(self, request: HttpRequest) -> HttpResponse:
        """Show another page of a review, or review the same again from where the shards stand now."""
        try:
            plan = Plan.unsign(request.POST["plan"])
            if request.POST.get("again"):
                return self._show(request, rewind.plan_again(plan))
        except StreamappError as error:
            messages.error(request, str(error))
            return redirect(self.list())
        typed = {name: request.POST.get(name, "") for name in ("reason", "name")}
        return self._show(request, plan, _last_questions(plan, initial=typed), request.POST["plan"])

    def _refuse(self, request: HttpRequest, plan: Plan, error: StalePlan) -> HttpResponse:
        context = {
            "plan": plan,
            "signed": request.POST["plan"],
            "error": error,
            "changes": changes(plan, error),
        }
        return self.show(request, "stale", plan.subscription, context, status=409)

    def _ask(
        self, request: HttpRequest, name: str, chosen: str, form: TargetForm | None = None
    ) -> HttpResponse:
        rows = _checkpoints(name)
        if chosen:
            rows = rows.filter(pk__in=row_ids(chosen.split(",")))
        shown = list(rows.select_related("subscription"))
        first = {"subscription": name, "chosen": chosen, "exact": "\n".join(map(_place, shown))}
        context = {"form": form or TargetForm(initial=first), "count": len(shown), "whole": not chosen}
        return self.show(request, "form", name, context)

    def _show(
        self, request: HttpRequest, plan: Plan, form: ApplyForm | None = None, signed: str = ""
    ) -> HttpResponse:
        """Show a review; one that was shown before stays signed as it was, so that its hour goes on."""
        context = review_context(plan, request)
        more = {"signed": signed or plan.sign(), "form": form or _last_questions(plan)}
        return self.show(request, "review", plan.subscription, {**context, **more})


def _checkpoints(subscription: str) -> QuerySet[Checkpoint]:
    return Checkpoint.objects.using(configuration().DATABASE).filter(subscription__name=subscription)


def _names() -> list[str]:
    return list(Subscription.objects.using(configuration().DATABASE).values_list("name", flat=True))


def _place(row: Checkpoint) -> str:
    return f"{row}@{described(row.subscription.broker, row.position)}"


def _last_questions(plan: Plan, data: Any = None, **more: Any) -> ApplyForm:
    return ApplyForm(data, subscription=plan.subscription, is_large=plan.is_large, **more)


def _plan(subscription: str, target: Target, chosen: list[int] | None) -> Plan:
    if chosen is None:
        return rewind.plan_mounted(subscription, target)
    rows = _checkpoints(subscription).filter(pk__in=chosen)
    return rewind.plan_mounted(subscription, target, [row.key for row in rows])
