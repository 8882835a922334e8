"""The form of a rewind."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from streamapp import positions
from streamapp.exceptions import InvalidPosition


class RewindForm(forms.Form):
    """Asks where to and why; carries which shards were chosen, as row ids, or all of them."""

    position = forms.CharField(
        label=_("New position"),
        max_length=300,
        widget=forms.TextInput({"class": "vTextField", "autofocus": True, "autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        widget=forms.Textarea({"class": "vLargeTextField", "rows": 2}),
        help_text=_("Kept with the rewind, for whoever asks later."),
    )
    subscription = forms.CharField(widget=forms.HiddenInput)
    chosen = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean_position(self) -> positions.Position:
        """Read the text form."""
        try:
            return positions.parse(self.cleaned_data["position"])
        except InvalidPosition as error:
            raise ValidationError(str(error)) from error

    def clean_chosen(self) -> list[int] | None:
        """Read the row ids; nothing means every shard of the subscription."""
        chosen = self.cleaned_data["chosen"]
        try:
            return [int(pk) for pk in chosen.split(",")] if chosen else None
        except ValueError as error:
            raise ValidationError(_("The chosen shards arrived damaged. Choose them again.")) from error
