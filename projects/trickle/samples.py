"""Endless samples of what is published. The same seed gives the same values in the same order."""

from collections.abc import Iterator
from itertools import count
from random import Random

from projects.ledger.messages import Entry, Payout
from projects.shipping.streams import Shipment

KNOWN_CARRIERS = ("albatross", "heron", "kingfisher")
NEW_CARRIER = "osprey"
STREETS = ("Mill Lane", "Harbour Street", "Station Road", "Orchard Way", "Chapel Hill")
ACCOUNTS = tuple(f"account-{number}" for number in range(1, 9))
CARDS = tuple(f"card-{number}" for number in range(1, 13))


def shipments(seed: int) -> Iterator[Shipment]:
    """Yield shipments; a few have no address, and a few a carrier that isn't known yet."""
    random = Random(f"{seed} shipments")
    for number in _ids(random):
        address = f"{random.randint(1, 99)} {random.choice(STREETS)}"
        carrier = random.choice(KNOWN_CARRIERS)
        kind = random.choices(("usual", "no address", "new carrier"), (94, 4, 2))[0]
        yield Shipment(
            id=number,
            address="" if kind == "no address" else address,
            carrier=NEW_CARRIER if kind == "new carrier" else carrier,
        )


def entries(seed: int, accounts: tuple[str, ...], between_corrections: int = 200) -> Iterator[Entry]:
    """Yield entries; after so many of them an earlier one comes again, corrected, with the next revision."""
    random = Random(f"{seed} {accounts[0]}")
    revision, past = 1, []
    for number in _ids(random):
        entry = Entry(number, random.choice(accounts), random.randint(-9_900, 19_900), revision)
        past.append(entry)
        yield entry
        if len(past) == between_corrections:
            wrong, revision, past = random.choice(past), revision + 1, []
            yield Entry(wrong.id, wrong.account, wrong.cents + random.randint(1, 500), revision)


def payouts(seed: int) -> Iterator[Payout]:
    """Yield payouts; one in ten is large."""
    random = Random(f"{seed} payouts")
    for number in _ids(random):
        most = random.choices((90_000, 400_000), (9, 1))[0]
        yield Payout(number, random.choice(ACCOUNTS), random.randint(1_000, most))


def _ids(random: Random) -> Iterator[int]:
    """Count from a number that another seed hardly draws, so that two runs don't meet."""
    return count(random.randint(1, 9_999_999) * 100_000 + 1)
