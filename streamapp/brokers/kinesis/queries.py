"""Questions about streams and shards. Each blocks for as long as three tries take, about half a minute."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from botocore.exceptions import ClientError

from streamapp.brokers.kinesis.clients import Clients, naming
from streamapp.brokers.kinesis.failures import BUSY, MISSING, answering, code_of
from streamapp.brokers.kinesis.moments import Moments
from streamapp.records import Shard


@dataclass(frozen=True, slots=True)
class Listed:
    """A shard as the stream lists it, closed ones too, with the shards that it was made of."""

    shard: Shard
    parents: tuple[str, ...]


class Queries:
    """Asks the service. Used from any thread. Methods raise BrokerUnavailable."""

    def __init__(
        self, clients: Clients, moments: Moments, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the clients, what compares the clocks, and a clock in seconds by which answers grow old."""
        self._clients = clients
        self._moments = moments
        self._clock = clock
        self._incarnations: dict[str, tuple[str, str]] = {}
        self._answers: dict[str, tuple[float, list[Listed]]] = {}
        self._turns: dict[str, threading.Lock] = {}

    def listed(self, stream: str) -> list[Listed]:
        """Return all shards that the stream keeps, by id; a stream that isn't there (yet) has none."""
        asked = self._clock()
        with answering(f"which shards {stream} has"):
            found = self._shards(stream)
            incarnation = self._incarnation(stream, found)
        listed = [] if incarnation is None else _listed(stream, incarnation, found)
        self._answers[stream] = asked, listed
        return listed

    def recent(self, stream: str, max_age: float) -> list[Listed]:
        """Return what `listed` returned at most so many seconds ago, whoever asked, or ask now."""
        with self._turns.setdefault(stream, threading.Lock()):
            asked, listed = self._answers.get(stream, (float("-inf"), []))
            return listed if self._clock() - asked < max_age else self.listed(stream)

    def existing(self, shards: Sequence[Shard]) -> list[Shard]:
        """Return those of the shards that are there now, in their incarnation."""
        found = {
            listed.shard for stream in {shard.stream for shard in shards} for listed in self.listed(stream)
        }
        return [shard for shard in shards if shard in found]

    def incarnation(self, stream: str) -> str:
        """Return the incarnation of a stream as last seen, or as it is now; empty if it isn't there."""
        if stream not in self._incarnations:
            self.listed(stream)
        return self._incarnations.get(stream, ("", ""))[1]

    def retention(self, stream: str) -> float | None:
        """Return after how many seconds the stream trims records; None if it isn't there."""
        with answering(f"how long {stream} keeps records"):
            described = self._described(stream)
        return None if described is None else described["RetentionPeriodHours"] * 3600.0

    def create(self, stream: str, shards: int) -> None:
        """Make a stream unless it is there; doesn't wait until it can be used."""
        with answering(f"whether {stream} could be made"):
            try:
                self._clients.asking().create_stream(StreamName=stream, ShardCount=shards)
            except ClientError as error:
                if code_of(error) != BUSY:
                    raise

    def _shards(self, stream: str) -> list[Any]:
        try:
            return [shard for page in self._pages(stream) for shard in page]
        except ClientError as error:
            if code_of(error) == MISSING or (code_of(error) == BUSY and not self._is_there(stream)):
                return []
            raise

    def _is_there(self, stream: str) -> bool:
        """Tell a stream that is being changed from one that is being made or deleted."""
        described = self._described(stream)
        return described is not None and described["StreamStatus"] in ("ACTIVE", "UPDATING")

    def _pages(self, stream: str) -> Iterator[list[Any]]:
        asked: dict[str, str] = naming(stream)
        while asked:
            moment = self._moments.local()
            page = self._clients.asking().list_shards(**asked)
            self._moments.compare(moment, page)
            yield page["Shards"]
            # The service refuses a stream's name beside the token.
            asked = {"NextToken": page["NextToken"]} if page.get("NextToken") else {}

    def _incarnation(self, stream: str, found: list[Any]) -> str | None:
        """Return when the stream was made; asked again only when its oldest shard is another."""
        if not found:
            self._incarnations.pop(stream, None)
            return None
        mark = min(f"{shard['ShardId']} {shard['SequenceNumberRange']}" for shard in found)
        known = self._incarnations.get(stream)
        if known is None or known[0] != mark:
            created = self._created(stream)
            if created is None:
                return None
            self._incarnations[stream] = known = (mark, created)
        return known[1]

    def _created(self, stream: str) -> str | None:
        described = self._described(stream)
        if described is None:
            return None
        moment = described["StreamCreationTimestamp"].astimezone(UTC)
        return str(moment.isoformat(timespec="milliseconds"))

    def _described(self, stream: str) -> Any:
        try:
            answer = self._clients.asking().describe_stream_summary(**naming(stream))
        except ClientError as error:
            if code_of(error) == MISSING:
                return None
            raise
        return answer["StreamDescriptionSummary"]


def _listed(stream: str, incarnation: str, found: list[Any]) -> list[Listed]:
    return [
        Listed(Shard(stream, shard["ShardId"], incarnation), _parents(shard))
        for shard in sorted(found, key=lambda shard: str(shard["ShardId"]))
    ]


def _parents(shard: Any) -> tuple[str, ...]:
    named = (shard.get("ParentShardId"), shard.get("AdjacentParentShardId"))
    return tuple(parent for parent in named if parent)
