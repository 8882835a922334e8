"""Where a rewind may go, and how a target travels through a form."""

from collections.abc import Callable
from typing import Any

from streamapp import positions
from streamapp.positions import Moment
from streamapp.services.targets.as_of import AsOf
from streamapp.services.targets.base import Asked, Target
from streamapp.services.targets.everywhere import Everywhere
from streamapp.services.targets.exact import Exact, Place
from streamapp.services.targets.shift import Shift
from streamapp.services.targets.undo import BeforeRewind

__all__ = ["AsOf", "Asked", "BeforeRewind", "Everywhere", "Exact", "Place", "Shift", "Target", "dump", "load"]

Values = list[Any]
"""The name of a kind, and the arguments that make the target."""
_KINDS: dict[str, Callable[..., Target]] = {
    "everywhere": lambda text, zone: Everywhere(positions.parse(text), zone),
    "exact": lambda places, clamp: Exact(tuple(Place(*place) for place in places), clamp),
    "shift": Shift,
    "as of": lambda milliseconds, zone: AsOf(Moment(milliseconds), zone),
    "undo": BeforeRewind,
}


def dump(target: Target) -> Values:
    """Return a target as plain values."""
    match target:
        case Everywhere(position, zone):
            return ["everywhere", str(position), zone]
        case Exact(places, clamp):
            return ["exact", [[place.shard, place.text] for place in places], clamp]
        case Shift(records):
            return ["shift", records]
        case AsOf(moment, zone):
            return ["as of", moment.milliseconds, zone]
        case BeforeRewind(rewind):
            return ["undo", rewind]
    raise TypeError(f"{target!r} is no target that a form carries.")


def load(values: Values) -> Target:
    """Make the target again from what `dump` returned."""
    kind, *arguments = values
    return _KINDS[kind](*arguments)
