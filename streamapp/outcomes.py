"""What a handler says of a record, and with that of the shard's checkpoint."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from streamapp.ladder import LONGEST_SECONDS


class Kind(StrEnum):
    """The outcomes by name."""

    ACK = "ack"
    DROP = "drop"
    HOLD = "hold"
    RETRY = "retry"
    RETRY_AFTER = "retry_after"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one record.

    `ack` and `drop` settle it: the shard's checkpoint moves past it once every earlier record is
    settled. `hold` leaves it unsettled: the checkpoint stops in front of it while reading goes on.
    `retry` asks for it again by the subscription's `RETRY` policy and `MAX_ATTEMPTS`; without either it is
    a hold. `retry_after` settles it too: a copy in the database is delivered again after `delay` seconds.
    """

    kind: Kind
    reason: str = ""
    delay: float = 0.0

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

    @staticmethod
    def retry_after(delay: float | timedelta, reason: str = "") -> "Outcome":
        """Ask for the record again once `delay` (seconds, or a timedelta) has passed, or somewhat later.

        The handler's writes are rolled back as with `retry`. The shard goes on meanwhile. Raises
        ValueError for a delay below 0 or above ten years.
        """
        seconds = delay.total_seconds() if isinstance(delay, timedelta) else float(delay)
        if not 0 <= seconds <= LONGEST_SECONDS:
            raise ValueError(
                f"A record can't be delayed by {seconds} seconds. Give 0 or more, up to ten years."
            )
        return Outcome(Kind.RETRY_AFTER, reason, seconds)


ACK = Outcome(Kind.ACK)
