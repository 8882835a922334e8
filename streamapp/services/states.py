"""The state of a subscription in one word, and how urgently somebody should look at it."""

from dataclasses import dataclass
from enum import StrEnum

CATCHING_UP_SECONDS = 30.0
"""A lag of up to so many seconds is how a running subscription looks between two polls."""


class State(StrEnum):
    """How a subscription is, in the order in which somebody should look."""

    STUCK = "stuck"
    """A handler takes longer than STUCK_AFTER, or a shard stands still because the log lost its place."""
    NO_WORKER = "no worker"
    """No live worker runs it."""
    HELD = "held"
    """A checkpoint waits in front of a held record."""
    CATCHING_UP = "catching up"
    PAUSED = "paused"
    """An operator told it to stand still."""
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the state is made of. `unread` counts shards that should be read and have no live owner.

    `seconds` and `records` are the lag; None where nobody knows. `expiring` counts the shards whose
    checkpoint retention is about to pass.
    """

    workers: int
    stuck: int = 0
    expiring: int = 0
    held: int = 0
    unread: int = 0
    paused: bool = False
    seconds: float | None = None
    records: int | None = None

    @property
    def is_behind(self) -> bool:
        """Tell whether reading is behind, by its time where that is known, else by the records."""
        if self.seconds is not None:
            return self.seconds > CATCHING_UP_SECONDS
        return bool(self.records)


def state_of(facts: Facts) -> State:
    """Decide the one word. What an operator ordered explains what follows from it, so paused comes early."""
    if facts.stuck:
        return State.STUCK
    if facts.paused:
        return State.PAUSED
    if not facts.workers:
        return State.NO_WORKER
    if facts.held:
        return State.HELD
    return State.CATCHING_UP if facts.is_behind else State.RUNNING


def needs_somebody(facts: Facts) -> bool:
    """Tell whether it won't come right by itself."""
    urgent = state_of(facts) in (State.STUCK, State.NO_WORKER, State.HELD)
    return urgent or facts.expiring > 0 or facts.unread > 0


def urgency(facts: Facts) -> int:
    """Return a number to sort by, lowest first: records may be lost, something stands still, all moves."""
    if facts.expiring:
        return -1
    urgent = needs_somebody(facts)
    return list(State).index(state_of(facts)) + (0 if urgent else len(State))
