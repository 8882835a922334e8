"""A mounted subscription: what the decorator declared, with what the settings put over it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from streamapp.brokers.base import Source, Subscribing
from streamapp.ladder import Ladder, Retry
from streamapp.outcomes import Outcome
from streamapp.positions import Position
from streamapp.records import Record

__all__ = ["Ladder", "Mount", "OnError", "Retry", "Shape"]

OnError = Callable[[BaseException, Record, int], Outcome | None]
"""Says what an exception of the handler leads to for a record, at which attempt; None: as without it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a handler's signature says: how it is called and what its first parameter is."""

    is_async: bool
    is_batch: bool
    takes_context: bool
    annotation: Any


POLL_RECORDS = 1000
"""About how many records one poll brings."""
HANDED_OVER = Shape(is_async=False, is_batch=False, takes_context=False, annotation=Record)


@dataclass(frozen=True, slots=True)
class Mount:
    """One entry of STREAMAPP["SUBSCRIPTIONS"], resolved and ready to run."""

    name: str
    handler: Callable[..., Any]
    shape: Shape
    decode: Callable[[bytes], Any] | None
    """Turns the bytes of a value into the handler's type; None: the handler takes `Record` itself."""
    broker: str
    source: Source
    group: str
    batch: int | None = None
    transaction: Literal["none", "handler", "checkpoint"] = "handler"
    start_at: Position | None = None
    replay_from: Position | None = None
    replay_scope: Literal["start", "assignment"] = "start"
    retry: Retry | None = None
    ladder: Ladder | None = None
    """What follows when the attempts in place are used up; None: a hold."""
    on_error: OnError | None = None
    hold: Literal["record", "key", "shard"] = "record"
    """What waits behind a held record: nothing, later records of its key, or all later ones of its shard."""
    on_undecodable: Literal["quarantine", "drop", "hold"] = "quarantine"
    on_out_of_range: Literal["earliest", "latest", "stop"] = "earliest"
    checkpoints: Literal["database", "process"] = "database"
    state: Callable[[], Any] | None = None
    max_ahead: int = 10_000
    lanes: int = 1
    order: Literal["shard", "key", "none"] = "shard"
    redeliver: Literal["all", "unsettled"] = "all"
    """What comes again behind a held record: everything, or only what isn't settled."""
    mask: tuple[str, ...] = ()
    """The fields that are hidden where records are shown."""
    dry_run: bool = False
    """Whether operators may let a worker handle a record in a transaction that is rolled back."""
    execute: Callable[[Record], Outcome] | None = None
    """Takes records over to be handled elsewhere; what it acks is there. None: the worker handles them."""

    @property
    def is_exact(self) -> bool:
        """Tell whether a handler's writes and its checkpoints are one transaction."""
        return self.transaction == "checkpoint"

    def in_worker(self) -> Self:
        """Return what a worker does with the records: handles them, or only hands them over."""
        if self.execute is None:
            return self
        return replace(
            self,
            handler=self.execute,
            shape=HANDED_OVER,
            decode=None,
            transaction="none",
            on_error=None,
            execute=None,
            batch=None,
        )

    def subscribing(self) -> Subscribing:
        """Say what a broker must know to make a reader."""
        return Subscribing(
            name=self.name,
            source=self.source,
            group=self.group,
            limit=self._poll_limit(),
            linger=0.05 if self.batch else 0.0,
            batch=self.batch or 1,
        )

    def _poll_limit(self) -> int:
        """Return how many records a poll may bring: whole batches, because each poll has its price."""
        batch = self.batch or 1
        # A poll must fit between the oldest unsettled record and MAX_AHEAD, with room for others.
        return min(batch * max(1, POLL_RECORDS // batch), max(1, self.max_ahead // 2))
