"""What a handler says of a record, and with that of the shard's checkpoint."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The outcomes by name."""

    ACK = "ack"
    DROP = "drop"
    HOLD = "hold"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one record.

    `ack` and `drop` settle it: the shard's checkpoint moves past it once every earlier record is
    settled. `hold` leaves it unsettled: the checkpoint stops in front of it while reading goes on.
    `retry` asks for it again by the subscription's `RETRY` policy; without a policy it is a hold.
    """

    kind: Kind
    reason: str = ""

    @property
    def settles(self) -> bool:
        """Tell whether the checkpoint may pass the record."""
        return self.kind in (Kind.ACK, Kind.DROP)

    @staticmethod
    def ack() -> "Outcome":
        """Say that the record was handled."""
        return ACK

    @staticmethod
    def drop(reason: str = "") -> "Outcome":
        """Retire the record for good, because no later attempt can succeed."""
        return Outcome(Kind.DROP, reason)

    @staticmethod
    def hold(reason: str = "") -> "Outcome":
        """Leave the record unsettled: the checkpoint waits in front of it, an operator sees it."""
        return Outcome(Kind.HOLD, reason)

    @staticmethod
    def retry(reason: str = "") -> "Outcome":
        """Ask for the record again, now or later, as the subscription's `RETRY` policy says."""
        return Outcome(Kind.RETRY, reason)


ACK = Outcome(Kind.ACK)
