"""The text form of a retry policy."""

import re
from collections.abc import Mapping

from streamapp.mount import Retry
from streamapp.problems import nearest

_DURATION = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)(?P<unit>ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_KEYS = ("attempts", "backoff")


def parse_retry(given: object) -> Retry:
    """Read a policy such as `{"attempts": 5, "backoff": "0.2s..30s"}`.

    Raises ValueError with a sentence that says what is wrong.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{given!r} is not a dict with attempts and backoff.")
    for key in given.keys() - set(_KEYS):
        raise ValueError(f"the key {key!r} is unknown. {nearest(key, _KEYS)}")
    if missing := " and ".join(key for key in _KEYS if key not in given):
        raise ValueError(f"{dict(given)!r} lacks {missing}.")
    return Retry(_checked_attempts(given["attempts"]), *_parse_backoff(given["backoff"]))


def parse_duration(text: str) -> float:
    """Return the seconds of `200ms`, `0.2s`, `1m` or `2h`; raises ValueError for all else and for zero."""
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match["number"]) * _SECONDS[match["unit"]] if match else 0.0
    if not seconds:
        raise ValueError(f"{text!r} is not a duration like 200ms, 0.2s, 1m or 2h.")
    return seconds


def _checked_attempts(given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError(f"attempts is {given!r}, not a whole number of 1 or more.")
    return given


def _parse_backoff(given: object) -> tuple[float, float]:
    first, separator, most = str(given).partition("..")
    if not separator:
        raise ValueError(f"backoff is {given!r}, not a first and a longest wait like 0.2s..30s.")
    shortest, longest = parse_duration(first), parse_duration(most)
    if shortest > longest:
        raise ValueError(f"backoff is {given!r}, and the first wait is longer than the longest.")
    return shortest, longest
