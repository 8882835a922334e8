"""The settings with their defaults, in one place: the entries of `settings.STREAMAPP`."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.db import connections

from streamapp.problems import Code, Findings, Problem, nearest, refuse
from streamapp.retention import report_retention


@dataclass(frozen=True, slots=True)
class Configuration:
    """`settings.STREAMAPP` with defaults. Times are in seconds unless their names say days."""

    BROKERS: Mapping[str, Any] = field(default_factory=dict)
    SUBSCRIPTIONS: Mapping[str, Any] = field(default_factory=dict)
    DATABASE: str = "default"
    HEARTBEAT_INTERVAL: float = 3.0
    HEARTBEAT_TTL: float = 12.0
    SAVE_INTERVAL: float = 1.0
    STOP_TIMEOUT: float = 25.0
    STUCK_AFTER: float = 60.0
    HISTORY_DAYS: float = 14.0
    CELERY_APP: str = ""
    RETENTION: Mapping[str, Any] = field(default_factory=dict)


KNOWN = {entry.name: entry.type for entry in fields(Configuration)}


@lru_cache(maxsize=1)
def configuration() -> Configuration:
    """Return the settings in force; follows `override_settings`.

    Raises ConfigurationError with the sentences of the system checks if they can't be used.
    """
    found, problems = read(getattr(settings, "STREAMAPP", {}))
    refuse(problems)
    return found


def read(given: object) -> tuple[Configuration, list[Problem]]:
    """Read a value of `settings.STREAMAPP`; where a part can't be used its default stands in."""
    findings = Findings("STREAMAPP")
    found = Configuration(**dict(_sound(given, findings)))
    _report_contradictions(found, findings)
    report_retention(found.RETENTION, findings)
    return found, findings.problems


def _sound(given: object, findings: Findings) -> Iterator[tuple[str, Any]]:
    if not isinstance(given, Mapping):
        findings.report(Code.WRONG_TYPE, f"is {given!r}.", "Make it a dict.")
        return
    for key, value in given.items():
        if key not in KNOWN:
            findings.report(Code.UNKNOWN_SETTING, f"the key {key!r} is unknown.", nearest(key, KNOWN))
        elif _is_sound(key, value, findings):
            yield key, value


def _is_sound(key: str, value: object, findings: Findings) -> bool:
    if KNOWN[key] is float:
        sound = _is_interval(value)
        unit = "days" if key.endswith("_DAYS") else "seconds"
        code, hint = Code.BAD_INTERVAL, f"Give a number of {unit} above 0."
    else:
        sound = isinstance(value, str if KNOWN[key] is str else Mapping)
        code, hint = Code.WRONG_TYPE, f"Make it a {'str' if KNOWN[key] is str else 'dict'}."
    if not sound:
        findings.report(code, f"{key} is {value!r}.", hint)
    return sound


def _is_interval(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _report_contradictions(found: Configuration, findings: Findings) -> None:
    if found.HEARTBEAT_TTL < 3 * found.HEARTBEAT_INTERVAL:
        findings.report(
            Code.CONTRADICTING_INTERVALS,
            f"HEARTBEAT_TTL ({found.HEARTBEAT_TTL:g} s) is less than three times HEARTBEAT_INTERVAL"
            f" ({found.HEARTBEAT_INTERVAL:g} s), so one late heartbeat costs a worker its shards.",
            f"Raise HEARTBEAT_TTL to {3 * found.HEARTBEAT_INTERVAL:g} or more, or lower HEARTBEAT_INTERVAL.",
        )
    if found.DATABASE not in connections:
        findings.report(
            Code.UNKNOWN_DATABASE,
            f"DATABASE names {found.DATABASE!r}, which is not in DATABASES.",
            nearest(found.DATABASE, connections),
        )


def _forget(*, setting: str, **_: Any) -> None:
    if setting in ("STREAMAPP", "DATABASES"):
        configuration.cache_clear()


setting_changed.connect(_forget)
