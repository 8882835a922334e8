"""What a soak saw: records, effects, moves, and where stored checkpoints went."""

from collections.abc import Mapping
from typing import NamedTuple


class Place(NamedTuple):
    """One record of the log."""

    position: int
    number: int
    key: str


class Done(NamedTuple):
    """One effect, in the order in which handlers wrote them."""

    order: int
    position: int
    number: int
    key: str
    epoch: int
    generation: int
    attempt: int = 1


class Letter(NamedTuple):
    """One dead letter; without a number its payload isn't that of any record."""

    position: int
    number: int | None


class Move(NamedTuple):
    """What a rewind did to one shard."""

    epoch: int
    old: int
    new: int


class Passage(NamedTuple):
    """A stored checkpoint was seen to have gone from `start` to `end`, under an epoch.

    `handled` has the positions of effects that were visible in the same snapshot of the database, each
    with the newest epoch under which it was handled. `settled` tells that it is not the checkpoint but
    a range behind it that the row calls settled. Of the ladder, which is never moved, `handled` has the
    places of delayed records and dead letters too, and all of them under the epoch of the checkpoint.
    """

    subscription: str
    shard: str
    epoch: int
    start: int
    end: int
    handled: Mapping[int, int]
    settled: bool = False
