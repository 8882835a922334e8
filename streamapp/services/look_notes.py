"""What a look found, in sentences: where it began instead, what is missing, why it ended."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from streamapp.brokers.looking import Peeked, Stop
from streamapp.positions import SHARD_END
from streamapp.records import Shard

ENDINGS = {
    Stop.BYTES: "Stopped: the records so far are as many bytes as one look brings.",
    Stop.SECONDS: "Stopped: the time of one look is over.",
    Stop.READS: "Stopped after {reads} reads, not at the end yet. Look on, or from a later moment.",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The place that was asked for, how many positions `before` it a look begins, and its most `records`."""

    shard: Shard
    position: int
    before: int
    records: int

    @property
    def start(self) -> int:
        """Return where the look was to begin."""
        return self.position - self.before

    def here(self, peeked: Peeked) -> int | None:
        """Return the position of the first record that isn't in front of the place."""
        found = (record.position for record in peeked.records)
        return next((position for position in found if position >= self.position), None)


def notes(asked: Asked, peeked: Peeked, describe: Callable[[int], str]) -> tuple[str, ...]:
    """Return the sentences; none if the record that was asked for is there with its neighbours."""
    ending = ENDINGS.get(peeked.stop, "").format(reads=peeked.reads)
    return (*_about_the_place(asked, peeked, describe), *filter(None, [ending]))


def _about_the_place(asked: Asked, peeked: Peeked, describe: Callable[[int], str]) -> Iterator[str]:
    place, here = describe(asked.position), asked.here(peeked)
    if asked.position == SHARD_END:
        yield f"{asked.shard} is finished: nothing comes behind {place}."
    elif peeked.begin > asked.position:
        yield f"The log doesn't keep {place} any more: it begins at {describe(peeked.begin)}."
    elif peeked.stop is Stop.END and peeked.next < asked.position:
        yield f"{place} is behind the end of the log, which is {describe(peeked.next)}."
    elif here is None and peeked.stop is Stop.END:
        yield f"There is no record from {place} on yet."
    elif here is not None and here != asked.position and not peeked.reads:
        yield f"No record is at {place}: compaction or a transaction left a gap. Next is {describe(here)}."
