"""What a test sees of the records that were handled."""

from dataclasses import dataclass

from streamapp.outcomes import Outcome
from streamapp.records import Record, Shard


@dataclass(frozen=True, slots=True)
class Delivery:
    """A record whose handling has ended: acked, dropped or held.

    An undecodable record counts as dropped (or held, as mounted) with the reason of its decoder.
    `attempt` is the one that ended it, 1 without a retry.
    """

    subscription: str
    record: Record
    outcome: Outcome
    attempt: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record that is to be handled again once its back-off of `seconds` has passed.

    `attempt` is the one that comes. The shard's later records wait behind it.
    """

    subscription: str
    shard: Shard
    position: int
    attempt: int
    seconds: float
