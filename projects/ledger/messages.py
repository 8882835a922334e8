"""What arrives on the ledger's topics."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One posting to an account, in cents.

    Who corrects the past publishes the entry again, under its id, with the ledger's next revision.
    Of all postings of one id the highest revision counts.
    """

    id: int
    account: str
    cents: int
    revision: int = 1


@dataclass(frozen=True, slots=True)
class Payout:
    """Money that leaves an account, in cents."""

    id: int
    account: str
    cents: int
