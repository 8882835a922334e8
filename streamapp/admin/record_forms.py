"""The form that asks where to look."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from streamapp.services.peek import MOST_RECORDS, RECORDS


def _count(label: Any, least: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=MOST_RECORDS,
        required=False,
        initial=RECORDS,
        widget=forms.NumberInput({"class": "vSmallField"}),
    )


class PlaceForm(forms.Form):
    """A shard of the subscription, a place on it, and how many records around that."""

    shard = forms.TypedChoiceField(label=_("Shard"), coerce=int)
    at = forms.CharField(
        label=_("Place"),
        max_length=300,
        widget=forms.TextInput({"class": "vTextField", "autocomplete": "off"}),
        help_text=_("A position as these pages show it, earliest, latest, 2026-11-01T00:00:00Z, or -2h."),
    )
    before = _count(_("Records in front"), 0)
    after = _count(_("Records from there"), 1)

    def __init__(self, *args: Any, shards: Sequence[tuple[int, str]], **kwargs: Any) -> None:
        """Take the shards to choose from, by the ids of their checkpoints."""
        super().__init__(*args, **kwargs)
        field: Any = self.fields["shard"]
        field.choices = shards

    def clean_before(self) -> int:
        """Take the usual number for none."""
        return _given(self.cleaned_data["before"])

    def clean_after(self) -> int:
        """Take the usual number for none."""
        return _given(self.cleaned_data["after"])


def _given(count: int | None) -> int:
    return RECORDS if count is None else count
