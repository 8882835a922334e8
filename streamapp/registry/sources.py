"""What a subscription reads: the declared source with the settings over it, its broker and its group."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, get_type_hints

from streamapp.brokers.base import Broker, Source
from streamapp.problems import Code, nearest
from streamapp.registry.backends import BrokerDraft
from streamapp.registry.entry import Entry

LONGEST_GROUP = 255
EXAMPLE = '{"default": {"BACKEND": "streamapp.brokers.local.LocalBroker"}}'


def default_alias(brokers: Mapping[str, Any]) -> str | None:
    """Return the alias meant where none is given: the only one, else `default`, else none."""
    if len(brokers) == 1:
        return next(iter(brokers))
    return "default" if "default" in brokers else None


def advised_alias(alias: str | None, brokers: Mapping[str, Any]) -> str:
    """Return a hint that names the alias meant by a wrong one, or says how to get a first broker."""
    if brokers:
        return nearest(alias or "", brokers)
    return f"Add one to STREAMAPP['BROKERS'], such as {EXAMPLE}."


def read_alias(entry: Entry, brokers: Mapping[str, BrokerDraft]) -> str | None:
    """Return the alias of the subscription's broker."""
    alias = entry.get("BROKER") or default_alias(brokers)
    if alias in brokers:
        return alias
    what = (
        f"BROKER {alias!r} is not in BROKERS."
        if alias
        else "BROKER is missing, and no broker is the default."
    )
    entry.report(Code.UNKNOWN_BROKER, what, advised_alias(alias, brokers))
    return None


def read_source(entry: Entry, declared: object, broker: Broker | None) -> Source | None:
    """Return the source, if the broker takes it and nothing is wrong with it."""
    source = _overridden(entry, declared)
    if source is None or not _is_taken(entry, source, broker) or not _has_sound_fields(entry, source):
        return None
    problems = list(source.problems())
    for problem in problems:
        entry.report(
            Code.BAD_SOURCE, problem, "Correct the source in the decorator, or SOURCE in the settings."
        )
    return None if problems else source


def read_group(entry: Entry, source: Source | None, name: str) -> str:
    """Return the subscription's name at the broker: GROUP, else the source's group, else its own name."""
    return entry.text("GROUP", LONGEST_GROUP) or getattr(source, "group", "") or name


def _overridden(entry: Entry, declared: object) -> Source | None:
    given = entry.get("SOURCE")
    source = given if given is not None and not isinstance(given, Mapping) else declared
    if not isinstance(source, Source):
        hint = "Give one, such as KafkaTopic('orders'), to @subscriber or as SOURCE."
        entry.report(Code.SOURCE_NOT_TAKEN, f"{source!r} is no source.", hint)
        return None
    return _replaced(entry, source, given) if isinstance(given, Mapping) else source


def _replaced(entry: Entry, source: Source, given: Mapping[str, Any]) -> Source | None:
    known = [field.name for field in fields(source)]
    unknown = [key for key in given if key not in known]
    for key in unknown:
        what = f"SOURCE has the key {key!r}, which {type(source).__name__} doesn't take."
        entry.report(Code.BAD_SOURCE_FIELD, what, nearest(key, known))
    return None if unknown else _with_values(entry, source, given)


def _with_values(entry: Entry, source: Source, given: Mapping[str, Any]) -> Source | None:
    try:
        return replace(source, **given)
    except (TypeError, ValueError) as error:
        what = f"SOURCE {dict(given)!r} doesn't fit {type(source).__name__}: {error}."
        entry.report(Code.BAD_SOURCE_FIELD, what, "Correct the values of SOURCE.")
        return None


def _is_taken(entry: Entry, source: Source, broker: Broker | None) -> bool:
    if broker is None or isinstance(source, broker.source_types):
        return True
    taken = ", ".join(sorted(kind.__name__ for kind in broker.source_types))
    what = f"the broker {broker.alias!r} can't read a {type(source).__name__}."
    entry.report(Code.SOURCE_NOT_TAKEN, what, f"It reads: {taken}. Change the source or BROKER.")
    return False


def _has_sound_fields(entry: Entry, source: Source) -> bool:
    """Tell whether texts are texts: an environment variable that isn't set makes them None."""
    hints = get_type_hints(type(source))
    wrong = [name for name, hint in hints.items() if not _fits(getattr(source, name), hint)]
    for name in wrong:
        what = f"the source's {name} is {getattr(source, name)!r}."
        entry.report(
            Code.BAD_SOURCE_FIELD, what, f"Give {_named(hints[name])}; is the variable behind it set?"
        )
    return not wrong


def _fits(value: object, hint: object) -> bool:
    if hint == tuple[str, ...]:
        return isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    return not (hint is str or hint is int) or isinstance(value, hint)


def _named(hint: Any) -> str:
    return "texts" if hint == tuple[str, ...] else "a text" if hint is str else "a whole number"
