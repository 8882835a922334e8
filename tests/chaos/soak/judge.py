"""Says what went wrong in a soak: lost, doubled, passed or disordered records, each named."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from tests.chaos.soak.history import Done, Move, Passage, Place

Log = Mapping[str, Sequence[Place]]
"""All records of the topic or stream, by shard and in order."""


def demanded(position: int, moves: Sequence[Move], epoch: int | None = None) -> int | None:
    """Return the lowest epoch under which a record must have been handled; None if it was skipped.

    Looks at the rewinds up to an epoch, the latest first: one to the record or before it demands that it
    is handled again, one that jumped over it from before it demands nothing any more.
    """
    for move in sorted(moves, reverse=True):
        if epoch is not None and move.epoch > epoch:
            continue
        if move.new <= position:
            return move.epoch
        if move.old <= position:
            return None
    return 1


def lost(log: Log, done: Mapping[str, Sequence[Done]], moves: Mapping[str, Sequence[Move]]) -> Iterator[str]:
    """Name the records that were not handled at all, or not again after the last rewind that asked for it."""
    for shard, places in log.items():
        newest: dict[int, int] = {}
        for each in done.get(shard, ()):
            newest[each.position] = max(each.epoch, newest.get(each.position, 0))
        for place in places:
            epoch = demanded(place.position, moves.get(shard, ()))
            if epoch is not None and newest.get(place.position, 0) < epoch:
                yield f"{shard}@{place.position} (number {place.number}) under epoch {epoch}"


def doubled(done: Mapping[str, Sequence[Done]]) -> Iterator[str]:
    """Name the records whose effects are there more than once."""
    for shard, each in done.items():
        for position, count in Counter(effect.position for effect in each).items():
            if count > 1:
                lives = [(e.order, e.epoch, e.generation) for e in each if e.position == position]
                yield f"{shard}@{position} {count} times: (row, epoch, generation) {lives}"


def unknown(log: Log, done: Mapping[str, Sequence[Done]]) -> Iterator[str]:
    """Name effects of records that the log doesn't have, or has with another number."""
    for shard, each in done.items():
        known = {(place.position, place.number, place.key) for place in log.get(shard, ())}
        for effect in each:
            if (effect.position, effect.number, effect.key) not in known:
                yield f"{shard}@{effect.position} (number {effect.number})"


def passed(log: Log, passages: Iterable[Passage], moves: Mapping[str, Sequence[Move]]) -> Iterator[str]:
    """Name the records that a stored checkpoint, or a range stored beside it, took for settled too early."""
    for passage in passages:
        places = log.get(passage.shard, ())
        first = bisect_left(places, passage.start, key=lambda place: place.position)
        last = bisect_left(places, passage.end, key=lambda place: place.position)
        for place in places[first:last]:
            epoch = demanded(place.position, moves.get(passage.shard, ()), passage.epoch)
            if epoch is not None and passage.handled.get(place.position, 0) < epoch:
                what = "settled" if passage.settled else "checkpoint"
                yield (
                    f"{passage.shard}@{place.position} (number {place.number}) by the {what}"
                    f" {passage.start}-{passage.end} of epoch {passage.epoch}; handled under epoch"
                    f" {passage.handled.get(place.position)}, demanded {epoch}"
                )


Life = Callable[[Done], object]
IsHeld = Callable[[int], bool]
"""Whether the record of a number was held at first: later ones may be handled before it."""


def disordered(done: Mapping[str, Sequence[Done]], life: Life, is_held: IsHeld) -> Iterator[str]:
    """Name what was handled before an earlier record of the same key and the same life."""
    for shard, each in done.items():
        ordered: dict[object, list[Done]] = defaultdict(list)
        for effect in sorted(each):
            if not is_held(effect.number):
                ordered[life(effect), effect.key].append(effect)
        for effects in ordered.values():
            for earlier, later in pairwise(effects):
                if later.position < earlier.position:
                    places = f"{shard}@{earlier.position} before {later.position}"
                    yield f"{places}, {life(later)}, key {later.key}"


def early(done: Mapping[str, Sequence[Done]], parents: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Name the shards of which a record was handled before the last one of a parent."""
    for child, of in parents.items():
        begun = min((effect.order for effect in done.get(child, ())), default=None)
        for parent in of:
            ended = max((effect.order for effect in done.get(parent, ())), default=0)
            if begun is not None and begun < ended:
                yield f"{child} before the end of {parent}"


def skipped(log: Log, done: Mapping[str, Sequence[Done]], is_held: IsHeld) -> Iterator[str]:
    """Name the records that one generation of a shard has left out; held ones it may."""
    for shard, each in done.items():
        lives: dict[object, set[int]] = defaultdict(set)
        for effect in each:
            lives[effect.epoch, effect.generation].add(effect.position)
        places = log.get(shard, ())
        for life, positions in lives.items():
            inside = (place for place in places if min(positions) < place.position < max(positions))
            for place in inside:
                if place.position not in positions and not is_held(place.number):
                    yield f"{shard}@{place.position} (number {place.number}) by (epoch, generation) {life}"
