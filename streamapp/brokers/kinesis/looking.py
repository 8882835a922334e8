"""Looks at records of a shard with few reads: Kinesis gives 5 a second to all readers of a shard together."""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from botocore.exceptions import ClientError

from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.chunks import Page
from streamapp.brokers.kinesis.clients import Clients
from streamapp.brokers.kinesis.entries import Entry, entries_of
from streamapp.brokers.kinesis.failures import MISSING, THROTTLED, WRONG, answering, code_of
from streamapp.brokers.kinesis.iterators import open_iterator
from streamapp.brokers.kinesis.pacing import READ_SECONDS, Paces
from streamapp.brokers.kinesis.queries import Queries
from streamapp.brokers.kinesis.side_by_side import look_at_each
from streamapp.brokers.looking import Gathering, Glance, Limits, Peeked, Stop, gone
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.positions import SHARD_END
from streamapp.records import Shard

READS = 8
"""How many reads one look takes at most."""
REST = 2 * READ_SECONDS
"""Seconds between two reads: half of the shard's reads are left to its consumers."""
KNOWN_SECONDS = 60.0
"""For how long an answer which shards a stream has is good enough to look at one."""


class Looks:
    """Looks on behalf of a broker. Used from any thread. The clients are impatient ones that try once."""

    def __init__(
        self,
        clients: Clients,
        queries: Queries,
        paces: Paces,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Take clients, questions on the same clients, the paces of the process, and what waits."""
        self._clients = clients
        self._queries = queries
        self._paces = paces
        self._sleep = sleep

    def peek(self, shard: Shard, position: int, limits: Limits) -> Peeked:
        """Return the records from a position on; aggregates are taken apart as a reader does it."""
        gathering = Gathering(position, limits)
        if position == SHARD_END:
            return gathering.peeked(Stop.END)
        if not self._listed([shard]):
            raise gone(shard)
        return self._read(shard, self._open(shard, position), gathering)

    def firsts(self, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Glance]:
        """Look at one record of each shard that is there, several shards at a time."""
        return look_at_each(self._first, {shard: places[shard] for shard in self._listed(places)}, seconds)

    def _first(self, shard: Shard, position: int, limits: Limits) -> Peeked:
        """Look for one record; the place of one that isn't there, nor any behind it, is refused."""
        peeked = self.peek(shard, position, limits)
        if _is_exact(position) and not peeked.records and peeked.stop is Stop.END:
            raise _unknown(shard, position)
        return peeked

    def _listed(self, shards: Collection[Shard]) -> list[Shard]:
        """Return those that are there; asks anew for one that an earlier answer doesn't have."""
        known = self._known(shards, KNOWN_SECONDS)
        if not known.issuperset(shards):
            known = self._known(shards, 0.0)
        return [shard for shard in shards if shard in known]

    def _known(self, shards: Collection[Shard], max_age: float) -> set[Shard]:
        streams = {shard.stream for shard in shards}
        return {entry.shard for stream in streams for entry in self._queries.recent(stream, max_age)}

    def _open(self, shard: Shard, position: int) -> str:
        with answering(f"where to begin in {shard}"):
            try:
                return open_iterator(self._clients.reading(), shard, position)
            except ClientError as error:
                if code_of(error) == MISSING:
                    raise gone(shard) from error
                if code_of(error) in WRONG:
                    raise _unknown(shard, position) from error
                raise

    def _read(self, shard: Shard, iterator: str, gathering: Gathering) -> Peeked:
        reads, answered = 0, False
        while reads < READS and (stop := gathering.stop) is None:
            self._wait(shard, gathering, first=not reads)
            reads += 1
            answer = self._ask(shard, iterator, gathering.records_left)
            if answer is None:
                continue
            answered, iterator = True, answer.get("NextShardIterator")
            if stop := _take(shard, answer, gathering):
                return gathering.peeked(stop, reads)
        if not answered:
            raise BrokerUnavailable(
                f"The reads of {shard} are used up by its consumers: {reads} reads were refused. Look again."
            )
        return gathering.peeked(gathering.stop or Stop.READS, reads)

    def _wait(self, shard: Shard, gathering: Gathering, *, first: bool) -> None:
        """Keep the pace of the shard, which the readers of this process share, and rest in between."""
        pause = 0.0 if first else REST
        while gathering.seconds_left and (pause := pause or self._paces.of(shard).wait()):
            self._sleep(min(pause, gathering.seconds_left))
            pause = 0.0

    def _ask(self, shard: Shard, iterator: str, limit: int) -> Any:
        """Return the answer of one read; None if the shard's reads are used up for now."""
        with answering(f"a look at {shard}"):
            try:
                answer = self._clients.reading().get_records(ShardIterator=iterator, Limit=limit)
            except ClientError as error:
                if code_of(error) in THROTTLED:
                    return None
                raise
        self._paces.of(shard).spend(sum(len(record["Data"]) for record in answer["Records"]))
        return answer


def _take(shard: Shard, answer: Any, gathering: Gathering) -> Stop | None:
    """Keep what was asked for; say whether that is the end, or which limit it has reached."""
    entries = [entry for entry in entries_of(answer["Records"]) if entry.position >= gathering.next]
    _begin(gathering, entries)
    page = Page(shard, entries)
    while page:
        chunk = page.take(1)
        gathering.add(chunk.record(0), chunk.end)
        if page and (stop := gathering.stop):
            return stop
    if answer.get("NextShardIterator") is None:
        gathering.next = SHARD_END
        return Stop.END
    return None if answer.get("MillisBehindLatest") else Stop.END


def _begin(gathering: Gathering, entries: list[Entry]) -> None:
    """Note that a record to begin with is gone: the service begins with the next one silently."""
    if (
        _is_exact(gathering.begin)
        and entries
        and not gathering.records
        and entries[0].position != gathering.begin
    ):
        gathering.move(entries[0].position)


def _is_exact(position: int) -> bool:
    """Tell the place of one record from a moment, from the ends, and from what comes after a record."""
    place = None if position == SHARD_END else packing.unpack(position)
    return isinstance(place, packing.Place) and not place.after


def _unknown(shard: Shard, position: int) -> InvalidPosition:
    return InvalidPosition(
        f"{shard} has no record at {packing.describe(position)}: it was trimmed, or is one of another shard. "
        "Look from horizon, or from a moment."
    )
