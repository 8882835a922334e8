"""What handlers do to a record the first time a process has it: mostly nothing odd, the same for a seed.

The ladder's failures go on: its handler fails at the same attempts of a record in every process.
"""

from enum import StrEnum
from zlib import crc32

from tests.chaos.soak.stage import LADDER

PER_THOUSAND = {"hold": 8, "fail": 10, "seek": 3}
LADDER_PER_THOUSAND = {"fail": 60, "poison": 30}


class Mood(StrEnum):
    """What is odd about a record."""

    HOLD = "hold"
    FAIL = "fail"
    SEEK = "seek"
    POISON = "poison"
    NONE = "none"


def mood_of(seed: int, subscription: str, number: int) -> Mood:
    """Draw what a subscription's handler does to the record of that number."""
    drawn = crc32(f"{seed} {subscription} {number}".encode()) % 1000
    shares = LADDER_PER_THOUSAND if subscription == LADDER else PER_THOUSAND
    for name, share in shares.items():
        if drawn < share:
            return Mood(name)
        drawn -= share
    return Mood.NONE


def is_poison(seed: int, number: int) -> bool:
    """Tell whether the ladder's handler fails at every attempt of the record of that number."""
    return mood_of(seed, LADDER, number) is Mood.POISON


def fails(seed: int, number: int, attempt: int) -> bool:
    """Tell whether the ladder's handler fails at an attempt, counted from 1.

    Of the records that are no poison the odd ones fail twice, so that a copy of them is handled.
    """
    is_first = attempt <= 1 + number % 2
    return is_poison(seed, number) or (is_first and mood_of(seed, LADDER, number) is Mood.FAIL)
