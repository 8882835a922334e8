"""Positions as people read them: what a number means is known to its broker only."""

from streamapp import registry
from streamapp.exceptions import ConfigurationError
from streamapp.positions import SHARD_END

LONGEST_PLAIN = 10**19
UNREADABLE = "?"


def described(broker: str, position: int) -> str:
    """Write a stored position as its broker does; without I/O.

    Where BROKERS lacks the alias it is the number, or `?` if it is packed and would tell nothing.
    """
    if position == SHARD_END:
        return "SHARD_END"
    try:
        return registry.broker(broker).describe(position)
    except ConfigurationError:
        return str(position) if position < LONGEST_PLAIN else UNREADABLE


def is_before(broker: str, position: int, other: int) -> bool | None:
    """Tell whether a position lies in front of another one; None where only the log knows. Without I/O."""
    try:
        return registry.broker(broker).is_before(position, other)
    except ConfigurationError:
        return position < other


def distance(broker: str, first: int, position: int) -> int | None:
    """Return how many records lie between two positions; None where nobody can tell. Without I/O."""
    if SHARD_END in (first, position):
        return None
    try:
        return registry.broker(broker).records_between(first, position)
    except ConfigurationError:
        return None
