"""The text form of a retry policy."""

import re
from collections.abc import Mapping, Sequence

from streamapp.ladder import LONGEST_SECONDS, Retry, Treatment
from streamapp.problems import nearest
from streamapp.registry.paths import imported

_DURATION = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)(?P<unit>ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_REQUIRED = ("attempts", "backoff")
_KEYS = (*_REQUIRED, *Treatment)


def parse_retry(given: object) -> Retry:
    """Read a policy such as `{"attempts": 5, "backoff": "0.2s..30s", "fatal": ["builtins.ValueError"]}`.

    Raises ValueError with a sentence that says what is wrong.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{given!r} is not a dict with attempts and backoff.")
    for key in given.keys() - set(_KEYS):
        raise ValueError(f"the key {key!r} is unknown. {nearest(key, _KEYS)}")
    if missing := " and ".join(key for key in _REQUIRED if key not in given):
        raise ValueError(f"{dict(given)!r} lacks {missing}.")
    classes = {treatment: _read_classes(treatment, given.get(treatment, ())) for treatment in Treatment}
    _refuse_ambiguous(classes)
    attempts, (first, most) = _checked_attempts(given["attempts"]), parse_backoff(given["backoff"])
    return Retry(attempts, first, most, **classes)


def parse_duration(text: str) -> float:
    """Return the seconds of `200ms`, `0.2s`, `1m` or `2h`; raises ValueError for all else.

    Zero and more than ten years are no durations.
    """
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match["number"]) * _SECONDS[match["unit"]] if match else 0.0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise ValueError(f"{text!r} is not a duration like 200ms, 0.2s, 1m or 2h, of at most ten years.")
    return seconds


def _checked_attempts(given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError(f"attempts is {given!r}, not a whole number of 1 or more.")
    return given


def parse_backoff(given: object) -> tuple[float, float]:
    """Return the first and the longest wait of `0.2s..30s` in seconds; raises ValueError for all else."""
    first, separator, most = str(given).partition("..")
    if not separator:
        raise ValueError(f"backoff is {given!r}, not a first and a longest wait like 0.2s..30s.")
    shortest, longest = parse_duration(first), parse_duration(most)
    if shortest > longest:
        raise ValueError(f"backoff is {given!r}, and the first wait is longer than the longest.")
    return shortest, longest


def _read_classes(key: str, given: object) -> tuple[type[BaseException], ...]:
    """Return exception classes, given as such or by dotted paths."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise ValueError(f"{key} is {given!r}, not a list of dotted paths of exceptions.")
    return tuple(_exception(key, each) for each in given)


def _exception(key: str, given: object) -> type[BaseException]:
    try:
        found = given if isinstance(given, type) else imported(given)
    except ImportError as error:
        raise ValueError(f"{key} names {given!r}, which can't be imported: {error}.") from error
    if isinstance(found, type) and issubclass(found, BaseException):
        return found
    raise ValueError(f"{key} names {given!r}, which is no class of exceptions.")


def _refuse_ambiguous(classes: Mapping[Treatment, Sequence[type[BaseException]]]) -> None:
    seen: dict[type[BaseException], str] = {}
    for key, listed in classes.items():
        for kind in listed:
            if seen.setdefault(kind, key) != key:
                raise ValueError(f"{kind.__name__} is listed as {seen[kind]} and as {key}.")
