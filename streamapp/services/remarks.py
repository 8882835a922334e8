"""What a review remarks on each shard of a plan."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from streamapp.positions import SHARD_END
from streamapp.records import Bounds, Shard
from streamapp.services.flags import Flag
from streamapp.services.rows import Row


@dataclass(frozen=True, slots=True)
class Remarks:
    """Finds the flags of a plan's shards.

    `is_moment` tells whether the target means a moment, `waiting` which shards wait for others, `alone`
    which have only parents that stay finished, `given` what the target itself remarks. `since` is the
    moment before which a log keeps nothing, as a position, for logs of which no first record is known.
    """

    is_moment: bool
    waiting: Collection[Shard]
    alone: Collection[Shard]
    given: Mapping[Shard, tuple[Flag, ...]]
    since: Mapping[Shard, int]

    def on(self, shard: Shard, row: Row, asked: int, new: int, bounds: Bounds | None) -> tuple[Flag, ...]:
        """Return the flags of one shard that was asked for at one place and would stand at another."""
        gated, given, old = shard in self.waiting, self.given.get(shard, ()), row.position
        found: list[Flag] = []
        if asked != new:
            found.append(Flag.BEYOND_RETENTION if asked < new else Flag.BEYOND_END)
        elif (edge := self._edge(shard, new, bounds)) is not None:
            found.append(edge)
        if old == new and not (row.held_count or gated or given):
            found.append(Flag.UNCHANGED)
        if row.held_count and _comes_again(row, new, bounds):
            found.append(Flag.HOLDING)
        if (old == SHARD_END) != (new == SHARD_END):
            found.append(Flag.FINISHED if new == SHARD_END else Flag.REOPENED)
        if gated:
            found.append(Flag.GATED)
        if shard in self.alone and _may_be_before_birth(new, bounds):
            found.append(Flag.ALONE)
        found += given
        # A finished shard has no reader and needs none to be taken; one that waits neither.
        if not (row.is_read or gated or old == SHARD_END):
            found.append(Flag.UNREAD)
        return tuple(found)

    def _edge(self, shard: Shard, new: int, bounds: Bounds | None) -> Flag | None:
        if bounds is None:
            return Flag.UNKNOWN
        if not bounds.is_moment:
            return Flag.NOTHING_AFTER if self.is_moment and new == bounds.end else None
        if bounds.first < new < self.since.get(shard, 0):
            return Flag.OLDER
        return Flag.NOTHING_YET if self.is_moment and bounds.end <= new < SHARD_END else None


def _may_be_before_birth(new: int, bounds: Bounds | None) -> bool:
    """Tell the oldest record and a past moment from a record of the shard itself, and from the tip."""
    return bounds is not None and bounds.is_moment and new < bounds.end


def _comes_again(row: Row, new: int, bounds: Bounds | None) -> bool:
    """Tell whether handled records behind a held one lie behind the new position too."""
    return new <= row.position or bounds is None or bounds.is_moment or new < bounds.end
