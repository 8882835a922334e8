"""What a review remarks on each shard of a plan."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from streamapp.positions import SHARD_END
from streamapp.records import Bounds, Shard
from streamapp.services.flags import Flag
from streamapp.services.rows import Row


@dataclass(frozen=True, slots=True)
class Remarks:
    """Finds the flags of a plan's shards.

    `is_moment` tells whether the target means a moment, `waiting` which shards wait for others, `given`
    what the target itself remarks. `since` is the moment before which a log keeps nothing, as a position,
    for logs of which no first record is known.
    """

    is_moment: bool
    waiting: Collection[Shard]
    given: Mapping[Shard, tuple[Flag, ...]]
    since: Mapping[Shard, int]

    def on(self, shard: Shard, row: Row, asked: int, new: int, bounds: Bounds | None) -> tuple[Flag, ...]:
        """Return the flags of one shard that was asked for at one place and would stand at another."""
        gated, given = shard in self.waiting, self.given.get(shard, ())
        found = [*_moved(asked, new), *self._at_edges(shard, new, bounds)]
        if row.position == new and not (row.held_count or gated or given):
            found.append(Flag.UNCHANGED)
        if row.held_count and _comes_again(row, new, bounds):
            found.append(Flag.HOLDING)
        found += _ending(row.position, new)
        if gated:
            found.append(Flag.GATED)
        found += given
        # A finished shard has no reader and needs none to be taken; one that waits neither.
        if not (row.is_read or gated or row.position == SHARD_END):
            found.append(Flag.UNREAD)
        return tuple(found)

    def _at_edges(self, shard: Shard, new: int, bounds: Bounds | None) -> Iterator[Flag]:
        if bounds is None:
            yield Flag.UNKNOWN
        elif bounds.is_moment:
            if bounds.first < new < self.since.get(shard, 0):
                yield Flag.OLDER
            elif self.is_moment and bounds.end <= new < SHARD_END:
                yield Flag.NOTHING_YET
        elif self.is_moment and new == bounds.end:
            yield Flag.NOTHING_AFTER


def _moved(asked: int, new: int) -> tuple[Flag, ...]:
    if asked == new:
        return ()
    return (Flag.BEYOND_RETENTION,) if asked < new else (Flag.BEYOND_END,)


def _ending(old: int, new: int) -> tuple[Flag, ...]:
    if (old == SHARD_END) == (new == SHARD_END):
        return ()
    return (Flag.FINISHED,) if new == SHARD_END else (Flag.REOPENED,)


def _comes_again(row: Row, new: int, bounds: Bounds | None) -> bool:
    """Tell whether handled records behind a held one lie behind the new position too."""
    return new <= row.position or bounds is None or bounds.is_moment or new < bounds.end
