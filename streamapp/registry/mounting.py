"""One entry of SUBSCRIPTIONS, made into a mount piece by piece; each piece reports what is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamapp.mount import Mount
from streamapp.problems import Code, Findings, Problem
from streamapp.registry.backends import BrokerDraft
from streamapp.registry.celery import by_celery, is_by_celery
from streamapp.registry.declaration import Declaration, declaration_of
from streamapp.registry.dry_run import read_dry_run
from streamapp.registry.entry import Entry, is_name
from streamapp.registry.handlers import Handler, read_decoder, read_handler, read_shape
from streamapp.registry.ladder import read_hold, read_ladder, read_on_error
from streamapp.registry.masks import read_mask
from streamapp.registry.policies import (
    read_batch,
    read_max_ahead,
    read_position,
    read_retry,
    read_transaction,
    report_without_effect,
)
from streamapp.registry.sources import read_alias, read_group, read_source

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Draft:
    """One entry of SUBSCRIPTIONS: its mount, or None and the problems that prevent it."""

    mount: Mount | None
    problems: tuple[Problem, ...]


def draft_mount(name: str, given: object, brokers: Mapping[str, BrokerDraft], celery_app: str = "") -> Draft:
    """Make a mount without I/O; what is wrong with the entry is in the problems.

    A broker that can't be made has problems of its own; what only it could tell is then left open.
    """
    findings = Findings(f"Subscription {name!r}")
    if not is_name(name, LONGEST_NAME):
        findings.report(Code.BAD_NAME, "its name is no name.", f"Give 1 to {LONGEST_NAME} characters.")
    mount = None
    if isinstance(given, Mapping):
        mount = _mount(name, given, brokers, celery_app, findings)
    else:
        findings.report(Code.WRONG_TYPE, f"the entry is {given!r}.", "Make it a dict with a HANDLER.")
    broken = any(problem.is_error for problem in findings.problems)
    return Draft(None if broken else mount, tuple(findings.problems))


def _mount(
    name: str,
    given: Mapping[str, Any],
    brokers: Mapping[str, BrokerDraft],
    celery_app: str,
    findings: Findings,
) -> Mount | None:
    handler = read_handler(given.get("HANDLER"), findings)
    declaration = declaration_of(handler)
    entry = Entry({**(declaration.options if declaration else {}), **given}, findings)
    alias = read_alias(entry, brokers)
    pieces = _pieces(name, entry, handler, declaration, brokers[alias] if alias else None)
    if handler is None or alias is None or None in (pieces["shape"], pieces["source"]):
        return None
    mount = Mount(name=name, handler=handler, broker=alias, **pieces)
    return by_celery(entry, mount, celery_app) if is_by_celery(entry) else mount


def _pieces(
    name: str,
    entry: Entry,
    handler: Handler | None,
    declaration: Declaration | None,
    draft: BrokerDraft | None,
) -> dict[str, Any]:
    broker = draft.broker if draft else None
    shape = read_shape(handler, entry.findings) if handler else None
    source = read_source(entry, declaration.source, broker) if declaration else None
    batch = read_batch(entry, shape)
    retry = read_retry(entry)
    report_without_effect(entry)
    return {
        "shape": shape,
        "decode": read_decoder(entry, shape),
        "source": source,
        "group": read_group(entry, source, name),
        "batch": batch,
        "transaction": read_transaction(entry, shape),
        "start_at": read_position(entry, "START_AT", broker),
        "replay_from": read_position(entry, "REPLAY_FROM", broker),
        "replay_scope": entry.choice("REPLAY_SCOPE", ("start", "assignment"), "start"),
        "retry": retry,
        "ladder": read_ladder(entry, source, retry),
        "on_error": read_on_error(entry),
        "hold": read_hold(entry),
        "on_undecodable": entry.choice("ON_UNDECODABLE", ("quarantine", "drop", "hold"), "quarantine"),
        "on_out_of_range": entry.choice("ON_OUT_OF_RANGE", ("earliest", "latest", "stop"), "earliest"),
        "checkpoints": entry.choice("CHECKPOINTS", ("database", "process"), "database"),
        "state": entry.function("STATE", Code.BAD_STATE),
        "lanes": entry.count("LANES") or 1,
        "order": entry.choice("ORDER", ("shard", "key", "none"), "shard"),
        "redeliver": entry.choice("REDELIVER", ("all", "unsettled"), "all"),
        "max_ahead": read_max_ahead(entry, batch),
        "mask": read_mask(entry),
        "dry_run": read_dry_run(entry, shape),
    }
