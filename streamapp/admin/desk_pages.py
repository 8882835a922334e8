"""What the steps of a rewind have in common: permissions, links, the frame of a page."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from streamapp.admin.checkpoints import CheckpointAdmin

View = Callable[..., HttpResponse]


class DeskPages:
    """Shows steps on behalf of a page of the admin."""

    def __init__(self, page: "CheckpointAdmin") -> None:
        """Take the page whose permissions, site and links hold."""
        self.page = page

    def elsewhere(self, request: HttpRequest) -> HttpResponse | None:
        """Return where a request belongs that isn't a POST; refuse who may not rewind."""
        self.refuse_others(request)
        return None if request.method == "POST" else redirect(self.list())

    def refuse_others(self, request: HttpRequest) -> None:
        """Raise PermissionDenied unless the user may rewind."""
        if not self.page.has_rewind_permission(request):
            raise PermissionDenied

    def show(
        self, request: HttpRequest, step: str, name: str, context: dict[str, Any], status: int = 200
    ) -> HttpResponse:
        """Return the page of a step for a subscription."""
        common = {
            **self.page.admin_site.each_context(request),
            "opts": self.page.opts,
            "media": self.page.media,
            "title": _("Rewind %(name)s") % {"name": name},
            "subscription": name,
        }
        template = f"admin/streamapp/rewind_{step}.html"
        return TemplateResponse(request, template, {**common, **context}, status=status)

    def list(self) -> str:
        """Return the address of the list of shards."""
        return self.link("admin:streamapp_checkpoint_changelist")

    def link(self, name: str, *arguments: int) -> str:
        """Return an address within the page's own site."""
        return reverse(name, args=arguments, current_app=self.page.admin_site.name)


def way_to_rewind(
    site: AdminSite, request: HttpRequest, subscription: str, chosen: str = ""
) -> dict[str, str]:
    """Return what a page needs to lead to the first step; nothing for somebody who may not take it."""
    if not request.user.has_perm("streamapp.rewind_checkpoint"):
        return {}
    query = urlencode({"subscription": subscription, "chosen": chosen})
    return {"rewind_url": f"{reverse('admin:streamapp_rewind_ask', current_app=site.name)}?{query}"}
