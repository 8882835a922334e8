"""What a service hasn't finished yet."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streamapp.brokers.base import Broker
from streamapp.conf import configuration
from streamapp.engine.consumer import Consumer
from streamapp.engine.lineage import readable
from streamapp.engine.shard import ShardState
from streamapp.exceptions import StreamappError
from streamapp.mount import Mount
from streamapp.positions import SHARD_END
from streamapp.records import Bounds, Shard
from streamapp.store import Store
from streamapp.testing.worker import InProcessWorker


class Unfinished(StreamappError, AssertionError):
    """A service didn't come to rest in time; the text names each shard and how far it is."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A shard as one worker reads it."""

    shard: Shard
    worker: InProcessWorker
    consumer: Consumer


class Progress:
    """Tells of one subscription what is still open, for the workers that run now."""

    def __init__(self, mount: Mount, broker: Broker, workers: Sequence[InProcessWorker]) -> None:
        """Take who reads, and what is read."""
        self._mount = mount
        self._broker = broker
        self._running = [(w, c) for w in workers for c in w.consumers if c.mount.name == mount.name]

    def open_points(self, quiet: float) -> Iterator[str]:
        """Yield a sentence for each shard that isn't read to its present end and handled.

        Nothing was handled or published since `quiet`, a moment of time.monotonic(). Held records,
        records that wait for a retry that isn't due, shards that stand at MAX_AHEAD and children of
        a closed shard with such records are finished as far as they can be.
        """
        shards = self._readable()
        for shard, bounds in self._broker.bounds(shards).items():
            found = [Reading(shard, w, c) for w, c in self._running if shard in c.holdings.states]
            if len(found) == 1:
                yield from self._in_shard(found[0], bounds, quiet)
            else:
                yield f"{self._mount.name}: {shard} is held by {len(found)} workers."
        yield from self._unshared(shards)

    def _readable(self) -> list[Shard]:
        store, source = Store(configuration().DATABASE), self._mount.source
        finished = store.checkpoints.finished(store.subscriptions.ensure(self._mount))
        return readable(self._broker.lineage(source), finished)

    def _in_shard(self, reading: Reading, bounds: Bounds, quiet: float) -> Iterator[str]:
        state = reading.consumer.holdings.states[reading.shard]
        place, at = f"{self._mount.name}: {reading.shard}", self._broker.describe
        if state.target is not None:
            yield f"{place} is about to be read from {at(state.target)}."
        elif reading.consumer.gate.interrupted:
            yield f"{place} waits with the record at {at(state.watermark.lowest())} for the next round."
        elif state.watermark.lowest() == SHARD_END:
            yield f"{place} was read to its end, which its row doesn't say yet."
        elif not (_waits(reading, state) or state.watermark.is_past(bounds, quiet)):
            yield f"{place} was read to {at(state.watermark.next)}, its end is {at(bounds.end)}."

    def _unshared(self, shards: Sequence[Shard]) -> Iterator[str]:
        """Every worker gets a shard if one stream has enough; some assignors deal out stream by stream."""
        most = max(Counter(shard.stream for shard in shards).values(), default=0)
        expected = min(most, len(self._running))
        if sum(bool(consumer.holdings.states) for _, consumer in self._running) < expected:
            yield f"{self._mount.name}: fewer than {expected} workers hold shards."


def _waits(reading: Reading, state: ShardState) -> bool:
    """Tell whether nothing more can be handled before somebody acts or time passes."""
    return state.full or state in reading.worker.journal.waiting()
