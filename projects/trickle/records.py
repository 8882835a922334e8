"""The samples with where they go, mixed as they would come."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from django.conf import settings

from projects.trickle.samples import ACCOUNTS, CARDS, entries, payouts, shipments


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A value with its stream and its key."""

    destination: str
    value: Any
    key: str


def outgoing(seed: int) -> Iterator[Outgoing]:
    """Yield records for all streams of the example without an end; one in 300 shipments is no JSON."""
    random = Random(f"{seed} mix")
    sources = (_shipments(seed, random), _ledger(seed), _card_entries(seed), _payouts(seed))
    while True:
        yield next(random.choices(sources, (5, 3, 4, 1))[0])


def _shipments(seed: int, random: Random) -> Iterator[Outgoing]:
    for shipment in shipments(seed):
        broken = random.randrange(300) == 0
        yield Outgoing(settings.SHIPMENTS_STREAM, b"{" if broken else shipment, key=str(shipment.id))


def _ledger(seed: int) -> Iterator[Outgoing]:
    return (Outgoing(settings.LEDGER_TOPIC, entry, key=entry.account) for entry in entries(seed, ACCOUNTS))


def _card_entries(seed: int) -> Iterator[Outgoing]:
    return (Outgoing(settings.CARD_ENTRIES_TOPIC, entry, key=entry.account) for entry in entries(seed, CARDS))


def _payouts(seed: int) -> Iterator[Outgoing]:
    return (Outgoing(settings.PAYOUTS_TOPIC, payout, key=payout.account) for payout in payouts(seed))
