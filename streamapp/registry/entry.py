"""One entry of SUBSCRIPTIONS, over what its handler declared: reading values and reporting wrong ones."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from streamapp.exceptions import InvalidPosition
from streamapp.positions import Ago, At, Earliest, Latest, Moment, Position, parse
from streamapp.problems import Code, Findings, nearest
from streamapp.registry.declaration import KEYS
from streamapp.registry.paths import imported

ChoiceT = TypeVar("ChoiceT", bound=str)


class Entry:
    """Reads one value at a time; a wrong one is reported and its default returned. None means the default."""

    def __init__(self, values: Mapping[str, Any], findings: Findings) -> None:
        """Take the values under the keys of the settings; unknown keys are reported at once."""
        self.values = values
        self.findings = findings
        for key in values:
            if key not in KEYS:
                self.report(Code.UNKNOWN_SUBSCRIPTION_KEY, f"the key {key!r} is unknown.", nearest(key, KEYS))

    def report(self, code: Code, what: str, hint: str) -> None:
        """Report a problem of this subscription."""
        self.findings.report(code, what, hint)

    def get(self, key: str) -> Any:
        """Return a value as it was written; None if it is not set."""
        return self.values.get(key)

    def choice(self, key: str, choices: tuple[ChoiceT, ...], default: ChoiceT) -> ChoiceT:
        """Return one of the choices."""
        if (value := self.get(key)) is None:
            return default
        for choice in choices:
            if value == choice:
                return choice
        self.report(Code.BAD_CHOICE, f"{key} is {value!r}.", nearest(value, choices))
        return default

    def count(self, key: str) -> int | None:
        """Return a whole number of 1 or more."""
        value = self.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
            return value
        self.report(Code.BAD_COUNT, f"{key} is {value!r}.", "Give a whole number of 1 or more.")
        return None

    def text(self, key: str, longest: int) -> str | None:
        """Return a text that isn't empty and fits its column in the database."""
        value: str | None = self.get(key)
        if value is None or is_name(value, longest):
            return value
        self.report(Code.BAD_NAME, f"{key} is {value!r}.", f"Give a text of 1 to {longest} characters.")
        return None

    def position(self, key: str) -> Position | None:
        """Return a position, given as such or in its text form."""
        value = self.get(key)
        if value is None or isinstance(value, Earliest | Latest | At | Moment | Ago):
            return value
        try:
            return parse(str(value))
        except InvalidPosition as error:
            self.report(Code.NO_POSITION, f"{key} can't be read.", str(error))
            return None

    def function(self, key: str, code: Code) -> Callable[..., Any] | None:
        """Return a callable, given as such or by its dotted path."""
        value = self.get(key)
        if value is None or callable(value):
            return cast("Callable[..., Any] | None", value)
        try:
            found = imported(value)
        except ImportError as error:
            self.report(code, f"{key} {value!r} can't be imported: {error}.", "Correct the dotted path.")
            return None
        if callable(found):
            return found  # type: ignore[no-any-return]
        self.report(code, f"{key} {value!r} can't be called.", "Name a function or a class.")
        return None


def is_name(value: object, longest: int) -> bool:
    """Tell whether a value can name something: a text, not blank and not too long."""
    return isinstance(value, str) and bool(value.strip()) and len(value) <= longest
