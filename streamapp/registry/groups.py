"""Subscriptions that would take records from each other: two in one group on one topic."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from streamapp.brokers.base import Source
from streamapp.mount import Mount
from streamapp.problems import Code, Problem


def shared_groups(mounts: Mapping[str, Mount]) -> Iterator[tuple[str, str, Problem]]:
    """Yield each two subscriptions that read one topic in one group, and so would split its records."""
    members = {name: mount for name, mount in mounts.items() if hasattr(mount.source, "group")}
    for (first, one), (second, other) in combinations(members.items(), 2):
        if (one.broker, one.group) == (other.broker, other.group) and _overlap(one.source, other.source):
            yield first, second, _shared(first, second, one)


def _overlap(one: Source, other: Source) -> bool:
    return any(_same(first, second) for first in one.streams() for second in other.streams())


def _same(first: str, second: str) -> bool:
    if first.startswith("^") == second.startswith("^"):
        return first == second
    pattern, topic = (first, second) if first.startswith("^") else (second, first)
    return re.match(pattern, topic) is not None


def _shared(first: str, second: str, mount: Mount) -> Problem:
    return Problem(
        Code.SHARED_GROUP,
        f"Subscriptions {first!r} and {second!r}: both read {', '.join(mount.source.streams())} in the group"
        f" {mount.group!r}, so each would get a part of the records only.",
        "Give one of them another GROUP.",
    )
