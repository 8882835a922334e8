"""One record as an operator may see it: decoded as its handler would get it, masked, harmless, cut."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from streamapp.mount import Mount
from streamapp.records import Record
from streamapp.services.masking import HIDDEN, Masks, plain
from streamapp.services.payloads import cut, harmless, text_or_hex

FAILURES = (Exception,)
"""What a decoder of the project may raise: anything. It is said on the page."""
REASON_CHARACTERS = 500
HEADERS_AT_MOST = 100
HEADER_CHARACTERS = 2_000


class Form(StrEnum):
    """In which form a payload is shown."""

    NULL = "null"
    DECODED = "decoded"
    JSON = "JSON"
    RAW = "text or hexadecimal"
    MASKED = "masked"
    """Some field must be hidden, and nobody can tell where it is: nothing is shown."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A key or value as text; `size` is in bytes, `problem` says why it isn't what the handler would get."""

    text: str
    form: Form
    size: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record with its masks applied. `place` is its position as its broker writes it."""

    position: int
    place: str
    timestamp: datetime | None
    key: Payload
    value: Payload
    headers: tuple[tuple[str, str], ...]


def shown(record: Record, mount: Mount, describe: Callable[[int], str]) -> ShownRecord:
    """Return what may be shown of a record; never raises for its content."""
    masks = Masks.of(mount.mask)
    return ShownRecord(
        position=record.position,
        place=describe(record.position),
        timestamp=record.timestamp,
        key=_key(record.key, masks),
        value=_value(record.value, mount.decode, masks),
        headers=_headers(record, masks),
    )


def _value(raw: bytes | None, decode: Callable[[bytes], Any] | None, masks: Masks) -> Payload:
    if raw is None:
        return Payload("null", Form.NULL, 0)
    try:
        value = raw if decode is None else decode(raw)
        if not isinstance(value, bytes | str):
            return Payload(cut(_lines(value, masks), len(raw)), Form.DECODED, len(raw))
    except FAILURES as error:
        return _raw(raw, masks, f"The handler's type refuses it: {refusal(error, masks)}")
    return _raw(raw, masks)


def _raw(raw: bytes, masks: Masks, problem: str = "") -> Payload:
    """Show what is JSON with fields as such, and anything else as it is, unless something must be hidden."""
    if (text := _json(raw, masks)) is not None:
        return Payload(cut(text, len(raw)), Form.JSON, len(raw), problem)
    if masks:
        return Payload(HIDDEN, Form.MASKED, len(raw), problem)
    return Payload(text_or_hex(raw), Form.RAW, len(raw), problem)


def _json(raw: bytes, masks: Masks) -> str | None:
    """Return an object or array as lines; None for what is none, and for what is nested too deeply."""
    try:
        value = msgspec.json.decode(raw)
        return _lines(value, masks) if isinstance(value, dict | list) else None
    except (msgspec.DecodeError, RecursionError):
        return None


def _key(raw: bytes | None, masks: Masks) -> Payload:
    """Show a key. It has no fields unless it is JSON, or the beginning of some."""
    if raw is None:
        return Payload("null", Form.NULL, 0)
    payload = _raw(raw, masks)
    if payload.form is Form.MASKED and not raw.lstrip().startswith((b"{", b"[")):
        return Payload(text_or_hex(raw), Form.RAW, len(raw))
    return payload


def _headers(record: Record, masks: Masks) -> tuple[tuple[str, str], ...]:
    pairs = list(record.headers.items())
    found = [
        (harmless(name)[:HEADER_CHARACTERS], HIDDEN if masks.hides([(name,)]) else _header(value))
        for name, value in pairs[:HEADERS_AT_MOST]
    ]
    more = len(pairs) - len(found)
    return (*found, ("…", f"{more:,} more headers")) if more else tuple(found)


def _header(value: bytes) -> str:
    text = text_or_hex(value[:HEADER_CHARACTERS])
    return text if len(value) <= HEADER_CHARACTERS else f"{text} … cut here; {len(value):,} bytes in all"


def _lines(value: Any, masks: Masks) -> str:
    return json.dumps(plain(value, masks), indent=2, ensure_ascii=False)


def refusal(error: Exception, masks: Masks) -> str:
    """Say what a decoder said; it may quote the record, so with masks only the kind of error."""
    kind = type(error).__name__
    return kind if masks else harmless(f"{kind}: {error}"[:REASON_CHARACTERS])
