"""What handlers do to a record the first time a process has it: mostly nothing odd, the same for a seed."""

from enum import StrEnum
from zlib import crc32

PER_THOUSAND = {"hold": 8, "fail": 10, "seek": 3}


class Mood(StrEnum):
    """What is odd about a record."""

    HOLD = "hold"
    FAIL = "fail"
    SEEK = "seek"
    NONE = "none"


def mood_of(seed: int, subscription: str, number: int) -> Mood:
    """Draw what a subscription's handler does to the record of that number."""
    drawn = crc32(f"{seed} {subscription} {number}".encode()) % 1000
    for name, share in PER_THOUSAND.items():
        if drawn < share:
            return Mood(name)
        drawn -= share
    return Mood.NONE
