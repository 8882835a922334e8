"""The entries of BROKERS, made into brokers."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamapp.brokers.base import Broker
from streamapp.problems import Code, Findings, Problem, nearest
from streamapp.registry.entry import is_name
from streamapp.registry.paths import imported

KEYS = ("BACKEND", "OPTIONS")
LONGEST_ALIAS = 100
BACKENDS = ("streamapp.brokers.kafka.KafkaBroker", "streamapp.brokers.local.LocalBroker")
INSTALLING = {"confluent_kafka": "pip install 'confluent-kafka>=2.16'"}


@dataclass(frozen=True, slots=True)
class BrokerDraft:
    """One entry of BROKERS: the broker, not yet used, or None and the problems that prevent it."""

    broker: Broker | None
    problems: tuple[Problem, ...]


def draft_broker(alias: str, given: object) -> BrokerDraft:
    """Make a broker from its entry without I/O; what is wrong with the entry is in the problems."""
    findings = Findings(f"Broker {alias!r}")
    if not is_name(alias, LONGEST_ALIAS):
        findings.report(
            Code.BAD_BROKER_NAME, "the alias is no name.", f"Give 1 to {LONGEST_ALIAS} characters."
        )
    backend, options = None, None
    if isinstance(given, Mapping):
        _report_unknown(given, findings)
        backend, options = _read_backend(given.get("BACKEND"), findings), _read_options(given, findings)
    else:
        findings.report(
            Code.WRONG_TYPE, f"the entry is {given!r}.", "Make it a dict with BACKEND and OPTIONS."
        )
    if backend and options is not None:
        _report_options(backend, options, findings)
    usable = backend is not None and options is not None and not findings.problems
    return BrokerDraft(backend(alias, options) if usable else None, tuple(findings.problems))  # type: ignore[misc, arg-type]


def _report_unknown(given: Mapping[str, Any], findings: Findings) -> None:
    for key in given:
        if key not in KEYS:
            findings.report(Code.UNKNOWN_BROKER_KEY, f"the key {key!r} is unknown.", nearest(key, KEYS))


def _read_backend(path: object, findings: Findings) -> type[Broker] | None:
    try:
        backend = imported(path)
    except ImportError as error:
        what = f"BACKEND {path!r} can't be imported: {error}." if path else "BACKEND is missing."
        findings.report(Code.BACKEND_NOT_IMPORTABLE, what, _way_to_import(str(path or ""), error))
        return None
    if inspect.isclass(backend) and issubclass(backend, Broker) and not inspect.isabstract(backend):
        return backend
    what, hint = (
        f"BACKEND {path!r} is no broker.",
        "Name a class that implements streamapp.brokers.base.Broker.",
    )
    findings.report(Code.BACKEND_IS_NO_BROKER, what, hint)
    return None


def _way_to_import(path: str, error: ImportError) -> str:
    if error.name and not f"{path}.".startswith(f"{error.name}."):
        return f"Install what it needs: {INSTALLING.get(error.name, f'the module {error.name}')}."
    return f"Give the dotted path of a class. {nearest(path, BACKENDS)}"


def _read_options(given: Mapping[str, Any], findings: Findings) -> Mapping[str, Any] | None:
    options = given.get("OPTIONS", {})
    if isinstance(options, Mapping):
        return options
    findings.report(Code.WRONG_TYPE, f"OPTIONS is {options!r}.", "Make it a dict.")
    return None


def _report_options(backend: type[Broker], options: Mapping[str, Any], findings: Findings) -> None:
    for problem in backend.option_problems(options):
        findings.report(Code.BAD_BROKER_OPTION, problem, "Correct its OPTIONS.")
