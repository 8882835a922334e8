"""What a service hasn't finished yet."""

from collections import Counter
from collections.abc import Iterator, Sequence

from streamapp.brokers.base import Broker
from streamapp.engine.consumer import Consumer
from streamapp.exceptions import StreamappError
from streamapp.mount import Mount
from streamapp.records import Shard
from streamapp.testing.worker import InProcessWorker


class Unfinished(StreamappError, AssertionError):
    """A service didn't come to rest in time; the text names each shard and how far it is."""


def open_points(mount: Mount, broker: Broker, workers: Sequence[InProcessWorker]) -> Iterator[str]:
    """Yield a sentence for each shard that isn't read to its present end and handled.

    Held records, records that wait for a retry that isn't due, and shards that stand at MAX_AHEAD
    are finished as far as they can be.
    """
    running = [(w, c) for w in workers for c in w.consumers if c.mount.name == mount.name]
    shards = broker.shards(mount.source)
    for shard, bounds in broker.bounds(shards).items():
        found = [(worker, consumer) for worker, consumer in running if shard in consumer.holdings.states]
        if len(found) == 1:
            yield from _in_shard(shard, bounds.end, *found[0])
        else:
            yield f"{mount.name}: {shard} is held by {len(found)} workers, its end is {bounds.end}."
    yield from _unshared(mount, shards, [consumer for _, consumer in running])


def _in_shard(shard: Shard, end: int, worker: InProcessWorker, consumer: Consumer) -> Iterator[str]:
    state = consumer.holdings.states[shard]
    place = f"{consumer.mount.name}: {shard}"
    if state.target is not None:
        yield f"{place} is about to be read from {state.target}."
    elif consumer.gate.interrupted:
        yield f"{place} waits with the record at {state.watermark.lowest()} for the next round."
    elif state.watermark.next < end and not state.full and state not in worker.journal.waiting():
        yield f"{place} was read to {state.watermark.next}, its end is {end}."


def _unshared(mount: Mount, shards: Sequence[Shard], consumers: Sequence[Consumer]) -> Iterator[str]:
    """Every worker gets a shard if one stream has enough; some assignors deal out stream by stream."""
    most = max(Counter(shard.stream for shard in shards).values(), default=0)
    expected = min(most, len(consumers))
    if sum(bool(consumer.holdings.states) for consumer in consumers) < expected:
        yield f"{mount.name}: fewer than {expected} workers hold shards."
