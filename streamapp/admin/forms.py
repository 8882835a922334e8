"""The forms of a rewind: where to, and the last questions."""

from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from streamapp import positions
from streamapp.admin.moments import aware
from streamapp.admin.row_ids import is_row_id, row_ids
from streamapp.exceptions import InvalidPosition
from streamapp.positions import Ago, Moment
from streamapp.services import asking
from streamapp.services.targets import Shift, Target
from streamapp.services.targets.moments import UTC_NAME

LARGEST_FILE = 5 * 1024 * 1024
KINDS = (
    ("earliest", gettext_lazy("The oldest record kept"), ()),
    ("latest", gettext_lazy("The end: only new records"), ()),
    ("ago", gettext_lazy("So long ago"), ("ago",)),
    ("moment", gettext_lazy("A moment"), ("moment", "zone")),
    ("as_of", gettext_lazy("The checkpoints as they were at a moment"), ("as_of", "as_of_zone")),
    ("shift", gettext_lazy("So many records on or back"), ("records",)),
    ("exact", gettext_lazy("A position for each shard"), ("exact",)),
    ("csv", gettext_lazy("A CSV file"), ("file",)),
)


@cache
def zones() -> list[tuple[str, str]]:
    """Return the names of all time zones, UTC first; looked up once, because they are many files."""
    return [(name, name) for name in ["UTC", *sorted(available_timezones() - {"UTC"})]]


class TargetForm(forms.Form):
    """Asks where to; carries which shards were chosen, as row ids, or all of them.

    `target` is there once the form is valid.
    """

    kind = forms.ChoiceField(label=gettext_lazy("Where to"), choices=[(key, said) for key, said, _ in KINDS])
    ago = forms.CharField(
        label=gettext_lazy("Duration"),
        required=False,
        max_length=20,
        help_text=gettext_lazy("A number with s, m, h or d: 90m is an hour and a half."),
    )
    moment = forms.CharField(
        label=gettext_lazy("Moment"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("For example 2026-11-01 03:00. In each shard the first record from then on."),
    )
    zone = forms.ChoiceField(label=gettext_lazy("Time zone"), required=False, choices=zones, initial="UTC")
    as_of = forms.CharField(
        label=gettext_lazy("Moment"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("The last checkpoint noted before it: workers note one a minute."),
    )
    as_of_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"), required=False, choices=zones, initial="UTC"
    )
    records = forms.IntegerField(
        label=gettext_lazy("Records"),
        required=False,
        min_value=-(2**63) + 1,
        max_value=2**63 - 1,
        help_text=gettext_lazy("-100 is a hundred back; 1 skips one."),
    )
    exact = forms.CharField(
        label=gettext_lazy("Positions"),
        required=False,
        strip=False,
        show_hidden_initial=True,
        widget=forms.Textarea({"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy("A line a shard, with where it stands. Lines left as they are stay."),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        help_text=gettext_lazy("Lines topic,partition,offset, as Kafka's own tool exports them."),
    )
    clamp = forms.BooleanField(
        label=gettext_lazy("A number behind the end of its log may be moved to the end"), required=False
    )
    subscription = forms.CharField(widget=forms.HiddenInput)
    chosen = forms.CharField(required=False, widget=forms.HiddenInput)

    target: Target

    def ways(self) -> list[dict[str, Any]]:
        """Return the kinds with their fields, for the page."""
        chosen = self["kind"].value() or KINDS[0][0]
        return [
            {
                "key": key,
                "said": said,
                "checked": key == chosen,
                "fields": [self[name] for name in names],
                "clamp": self["clamp"] if key == "exact" else None,
                "before": self["exact"].as_hidden(only_initial=True) if key == "exact" else "",
            }
            for key, said, names in KINDS
        ]

    def clean_chosen(self) -> list[int] | None:
        """Read the row ids; nothing means every shard of the subscription."""
        chosen = self.cleaned_data["chosen"]
        if not chosen:
            return None
        if not all(map(is_row_id, chosen.split(","))):
            raise ValidationError(_("The chosen shards arrived damaged. Choose them again."))
        return row_ids(chosen.split(","))

    def clean(self) -> dict[str, Any]:
        """Make the target; what is wrong is said at the field of its kind."""
        if kind := self.cleaned_data.get("kind"):
            try:
                self.target = getattr(self, f"_{kind}")()
            except InvalidPosition as error:
                self.refuse(str(error))
        return self.cleaned_data

    def refuse(self, sentence: str) -> None:
        """Put an error at the field of the kind that was chosen."""
        fields = next(names for key, _said, names in KINDS if key == self.cleaned_data.get("kind"))
        self.add_error(fields[0] if fields else "kind", sentence)

    def _earliest(self) -> Target:
        return asking.everywhere(positions.Earliest())

    def _latest(self) -> Target:
        return asking.everywhere(positions.Latest())

    def _ago(self) -> Target:
        text = self.cleaned_data.get("ago", "").strip()
        found = positions.parse(f"-{text.lstrip('-')}")
        if not isinstance(found, Ago):
            raise InvalidPosition(f"{text!r} is no duration. Write 45s, 90m, 8h or 7d.")
        return asking.everywhere(found)

    def _moment(self) -> Target:
        zone = self.cleaned_data.get("zone", "")
        return asking.everywhere(_moment_of(self.cleaned_data.get("moment", ""), zone), zone or UTC_NAME)

    def _as_of(self) -> Target:
        zone = self.cleaned_data.get("as_of_zone", "")
        return asking.as_of(_moment_of(self.cleaned_data.get("as_of", ""), zone), zone or UTC_NAME)

    def _shift(self) -> Target:
        records = self.cleaned_data.get("records")
        if not records:
            raise InvalidPosition("Give a number of records other than 0, such as -100.")
        return Shift(records)

    def _exact(self) -> Target:
        lines = _lines(self.cleaned_data.get("exact", ""))
        before = set(_lines(self.data.get("initial-exact", "")))
        changed = [line for line in lines if line not in before] or lines
        if not changed:
            raise InvalidPosition("Give a shard and its position a line, as in orders/3@1200.")
        if bare := [line for line in changed if "@" not in line]:
            raise InvalidPosition(f"{bare[0]!r} names no shard. Write it as in orders/3@1200.")
        return asking.written_target(changed, clamp=self.cleaned_data["clamp"])

    def _csv(self) -> Target:
        file = self.cleaned_data.get("file")
        if file is None:
            raise InvalidPosition("Choose a file.")
        if file.size > LARGEST_FILE:
            raise InvalidPosition(f"The file is larger than {LARGEST_FILE // 2**20} MiB.")
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidPosition(f"The file is not UTF-8: {error}.") from error
        return asking.csv_target(text, clamp=self.cleaned_data["clamp"])


class ApplyForm(forms.Form):
    """The last questions before a plan is applied: why, and for a large move the name."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        widget=forms.Textarea({"class": "vLargeTextField", "rows": 2}),
        help_text=gettext_lazy("Kept with the rewind, for whoever asks later."),
    )
    name = forms.CharField(label=gettext_lazy("Name of the subscription"), required=False)

    def __init__(self, *args: Any, subscription: str, is_large: bool, **kwargs: Any) -> None:
        """Take the name to type, and whether it must be typed."""
        super().__init__(*args, **kwargs)
        self._subscription = subscription
        if is_large:
            self.fields["name"].required = True
            self.fields["name"].help_text = _(
                "This is a large move. Type %(name)s to say that you mean it."
            ) % {"name": subscription}
        else:
            del self.fields["name"]

    def clean_name(self) -> str:
        """Compare it."""
        name: str = self.cleaned_data["name"]
        if name != self._subscription:
            raise ValidationError(_("That is not %(name)s.") % {"name": self._subscription})
        return name


def _moment_of(text: str, zone: str) -> Moment:
    return aware(text.strip(), ZoneInfo(zone) if zone else None)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
