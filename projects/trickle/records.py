"""The samples with where they go, mixed as they would come."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from django.conf import settings

from projects.ledger.messages import Entry, Payout
from projects.trickle.samples import ACCOUNTS, CARDS, entries, payouts, shipments


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A value with its broker, its stream there and its key."""

    broker: str
    destination: str
    value: Any
    key: str


def outgoing(seed: int) -> Iterator[Outgoing]:
    """Yield records for all streams of the example without an end; one in 300 shipments is no JSON."""
    random = Random(f"{seed} mix")
    sources = (
        _shipments(seed, random),
        _of_accounts(settings.LEDGER_TOPIC, entries(seed, ACCOUNTS)),
        _of_accounts(settings.CARD_ENTRIES_TOPIC, entries(seed, CARDS)),
        _of_accounts(settings.PAYOUTS_TOPIC, payouts(seed)),
    )
    while True:
        yield next(random.choices(sources, (5, 3, 4, 1))[0])


def _shipments(seed: int, random: Random) -> Iterator[Outgoing]:
    for shipment in shipments(seed):
        value = b"{" if random.randrange(300) == 0 else shipment
        yield Outgoing(settings.SHIPMENTS_BROKER, settings.SHIPMENTS_STREAM, value, key=str(shipment.id))


def _of_accounts(topic: str, values: Iterable[Entry | Payout]) -> Iterator[Outgoing]:
    return (Outgoing(settings.LEDGER_BROKER, topic, value, key=value.account) for value in values)
