"""Moves that a handler asks for: seek and rewind."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from streamapp.brokers.base import Broker
from streamapp.engine.gate import Gate
from streamapp.engine.holdings import Holdings
from streamapp.exceptions import InvalidPosition, NotAssigned
from streamapp.positions import At, Position


class Mover(Protocol):
    """What a context needs of its subscription; called while the handler runs."""

    def seek(self, position: Position) -> None:
        """Move this worker's own reading of the shards it holds."""
        ...

    def rewind(self, position: Position) -> None:
        """Move the checkpoints of the whole subscription, in the handler's transaction."""
        ...


class Moves:
    """Carries out what handlers ask for. `rewind` is the service that plans and applies it."""

    def __init__(
        self, broker: Broker, holdings: Holdings, gate: Gate, rewind: Callable[[Position], None]
    ) -> None:
        self._broker = broker
        self._holdings = holdings
        self._gate = gate
        self._rewind = rewind
        self.rewound = False
        """Whether the call at hand has asked for a rewind, which its transaction carries."""
        self._asked = False
        self._before_rewind: Callable[[], None] | None = None

    @contextmanager
    def within(self, before_rewind: Callable[[], None]) -> Iterator[None]:
        """Note what one call asks for; `before_rewind` comes before its first rewind and may refuse it."""
        self.rewound = False
        self._before_rewind = before_rewind
        try:
            yield
        finally:
            self._before_rewind = None

    def seek(self, position: Position) -> None:
        """Void what was delivered of the shards named, and move when the handler has returned."""
        if problem := self._broker.position_problem(position):
            raise InvalidPosition(problem)
        held = list(self._holdings.states)
        if isinstance(position, At) and not any(position.names(shard) for shard in held):
            raise NotAssigned(
                f"Can't seek to {position}: this worker doesn't hold that shard. "
                "Seek to a shard of the record at hand, or use ctx.rewind for all workers."
            )
        places = self._broker.resolve(position, held)
        with self._holdings.lock:
            for shard, place in places.items():
                if shard in self._holdings.states:
                    self._holdings.states[shard].seek(place)
        self._gate.interrupt()

    def rewind(self, position: Position) -> None:
        """Write the rewind; it is adopted when the handler has returned and its transaction holds."""
        if self._before_rewind and not self.rewound:
            self._before_rewind()
        self._rewind(position)
        self.rewound = self._asked = True
        self._gate.interrupt()

    def take_asked(self) -> bool:
        """Tell, once, whether a rewind was asked for."""
        asked, self._asked = self._asked, False
        return asked
