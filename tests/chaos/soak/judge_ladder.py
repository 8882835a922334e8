"""Says what went wrong with failing records: they are handled in the end, or dead letters if none can."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tests.chaos.soak.history import Done, Letter
from tests.chaos.soak.judge import Log

Letters = Mapping[str, Sequence[Letter]]


def vanished(log: Log, done: Mapping[str, Sequence[Done]], letters: Letters) -> Iterator[str]:
    """Name the records that have neither an effect nor a dead letter.

    An effect counts under any epoch: a copy is handled by whichever worker has claimed it.
    """
    for shard, places in log.items():
        found = {each.position for rows in (done, letters) for each in rows.get(shard, ())}
        for place in places:
            if place.position not in found:
                yield f"{shard}@{place.position} (number {place.number})"


def wrong(log: Log, letters: Letters, is_poison: Callable[[int], bool]) -> Iterator[str]:
    """Name the dead letters of records that could be handled, or that the log has not or differently."""
    for shard, each in letters.items():
        known = {place.position: place.number for place in log.get(shard, ())}
        for letter in each:
            number = known.get(letter.position)
            if number is None or letter.number != number or not is_poison(number):
                yield f"{shard}@{letter.position} (number {letter.number}, in the log {number})"


def kept(done: Mapping[str, Sequence[Done]], fails: Callable[[int, int], bool]) -> Iterator[str]:
    """Name the effects that an attempt has left behind that failed, poison at every one."""
    for shard, each in done.items():
        for effect in each:
            if fails(effect.number, effect.attempt):
                yield f"{shard}@{effect.position} (number {effect.number}) of attempt {effect.attempt}"
