"""The form that asks where to look."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from streamapp.conf import configuration
from streamapp.models import Checkpoint
from streamapp.services.peek import MOST_RECORDS, RECORDS

SHARDS_OFFERED = 500


def _count(label: Any, least: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=MOST_RECORDS,
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

    def __init__(self, data: Any = None, *, row: Checkpoint, counts: bool) -> None:
        """Offer the shards beside the row; ask for no records in front where positions don't count them."""
        super().__init__(data, initial={"shard": row.pk})
        shard: Any = self.fields["shard"]
        shard.choices = _shards_beside(row)
        if not counts:
            self.fields["before"].widget = forms.HiddenInput()


def _shards_beside(row: Checkpoint) -> list[tuple[int, str]]:
    """Return the first shards of the subscription, and the one of the row."""
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(subscription=row.subscription_id)
    first = list(rows.order_by("stream", "pk")[:SHARDS_OFFERED])
    return [(each.pk, str(each)) for each in ([] if row in first else [row]) + first]
