"""The page that edits a copy of a record set aside. A GET shows; only a POST keeps."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from streamapp.admin.record_links import may_look
from streamapp.exceptions import ActionRefused
from streamapp.services.set_aside import editing
from streamapp.store.audit import Asker


class EditForm(forms.Form):
    """The value as text, and why it is changed."""

    value = forms.CharField(
        label=_("Value"),
        strip=False,
        widget=forms.Textarea({"class": "vLargeTextField streamapp-value", "rows": 8, "spellcheck": "false"}),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        widget=forms.Textarea({"class": "vLargeTextField", "rows": 2}),
        help_text=_("Kept in the audit trail, for whoever asks later."),
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)


class EditDesk:
    """Serves the page on behalf of one of the pages of records set aside."""

    def __init__(self, page: Any) -> None:
        """Take the page whose model, site and links hold."""
        self.page = page

    def serve(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the text, or keep it."""
        may = request.user.has_perm(editing.PERMISSION) and may_look(request)
        if not may or not self.page.has_view_permission(request):
            raise PermissionDenied
        row = self.page.get_queryset(request).filter(pk=pk).first()
        if row is None:
            raise Http404
        try:
            draft = editing.draft(row)
        except ActionRefused as error:
            messages.error(request, str(error))
            return redirect(self._back(pk))
        form = EditForm(request.POST or None, initial={"value": draft.text, "version": draft.version})
        if request.method == "POST" and form.is_valid() and self._keep(request, row, form):
            return redirect(self._back(pk))
        return self._show(request, row, form, draft.note)

    def _keep(self, request: HttpRequest, row: Any, form: EditForm) -> bool:
        given = form.cleaned_data
        asker = Asker("admin", request.user, given["reason"])
        try:
            said = editing.edit(self.page.model, row.pk, given["value"], given["version"], asker)
        except ActionRefused as error:
            form.add_error("value", str(error))
            return False
        self.page.log_change(request, row, f"edit: {said} {given['reason']}".strip())
        messages.success(request, said)
        return True

    def _show(self, request: HttpRequest, row: Any, form: EditForm, note: str) -> HttpResponse:
        context = {
            **self.page.admin_site.each_context(request),
            "opts": self.page.opts,
            "media": self.page.media,
            "title": _("Edit a copy"),
            "place": self.page.whole_place(row),
            "subscription": row.subscription,
            "form": form,
            "note": note,
            "back": self._back(row.pk),
        }
        return TemplateResponse(request, "admin/streamapp/set_aside_edit.html", context)

    def _back(self, pk: int) -> str:
        name = f"admin:streamapp_{self.page.opts.model_name}_change"
        return reverse(name, args=[pk], current_app=self.page.admin_site.name)
