"""A position of its own for each of some shards."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamapp.brokers.base import Broker
from streamapp.exceptions import InvalidPosition
from streamapp.records import Shard
from streamapp.services.targets.base import Asked, Target

NAMED_AT_MOST = 5
WORDS_AT_MOST = 50


@dataclass(frozen=True, slots=True)
class Place:
    """One shard, with or without its stream, and the position as its broker writes it."""

    shard: str
    text: str

    @classmethod
    def of(cls, text: str) -> "Place":
        """Read `orders/3@1200` or `3@1200`. Raises InvalidPosition."""
        shard, _, position = text.strip().partition("@")
        if not (shard and position.strip()):
            raise InvalidPosition(
                f"{text.strip()!r} is no shard with its position. Write orders/3@1200, or 3@1200 for a "
                "subscription to one stream."
            )
        return cls(shard.strip(), position.strip())

    def __str__(self) -> str:
        return f"{self.shard}@{self.text}"


@dataclass(frozen=True, slots=True)
class Exact(Target):
    """Each named shard at its own place; the others stay. `clamp` moves what is behind the end to it."""

    places: tuple[Place, ...]
    clamp: bool = False

    @property
    def clamps(self) -> bool:
        """Follow the operator."""
        return self.clamp

    def resolve(self, rows: Mapping[Shard, Any], broker: Broker) -> Asked:
        """Read every place; raises InvalidPosition with all that is wrong."""
        by_name = _by_name(rows)
        found: dict[Shard, int] = {}
        problems = []
        for place in self.places:
            try:
                shard = _named(place, by_name)
                if shard in found:
                    raise InvalidPosition(f"{place} names {shard} a second time.")
                found[shard] = broker.read(place.text)
            except InvalidPosition as error:
                problems.append(str(error))
        if problems:
            raise InvalidPosition(_few(problems))
        return Asked(found)

    def words(self) -> Sequence[str]:
        """Return the places, or that they come from a file when no command line would hold them."""
        if len(self.places) > WORDS_AT_MOST:
            return ("--csv", "positions.csv")
        return [*map(str, self.places), *(["--clamp"] if self.clamp else [])]

    def __str__(self) -> str:
        named = ", ".join(map(str, self.places[:NAMED_AT_MOST]))
        return named if _fits(named, self.places) else f"{len(self.places):,} exact positions"


def _fits(named: str, places: Sequence[Place]) -> bool:
    return len(named) <= 300 and len(places) <= NAMED_AT_MOST


def _by_name(shards: Mapping[Shard, Any]) -> dict[str, list[Shard]]:
    """Return the shards by both of their names: looking through all for each place takes too long."""
    found = defaultdict(list)
    for shard in shards:
        found[str(shard)].append(shard)
        found[shard.id].append(shard)
    return found


def _named(place: Place, by_name: Mapping[str, list[Shard]]) -> Shard:
    matching = by_name.get(place.shard, [])
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise InvalidPosition(f"{place} fits several streams. Write {matching[0]}@{place.text}.")
    raise InvalidPosition(
        f"{place} names a shard that isn't among the chosen ones. `manage.py streams status` lists all."
    )


def _few(problems: Sequence[str]) -> str:
    more = f" And {len(problems) - NAMED_AT_MOST} more." if len(problems) > NAMED_AT_MOST else ""
    return " ".join(problems[:NAMED_AT_MOST]) + more
