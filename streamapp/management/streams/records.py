"""Records for a terminal."""

from collections.abc import Iterator

from streamapp.services.peek import Look
from streamapp.services.shown import Form, Payload, ShownRecord
from streamapp.services.wording import amount, moment

INDENT = "    "


def records_as_text(subscription: str, look: Look) -> str:
    """Return a look with one paragraph a record; `>` marks the record that was asked for."""
    lines = [f"{subscription}  {look.shard} at {look.asked}: {amount(len(look.records), 'record')}"]
    for record in look.records:
        lines += _paragraph(record, "> " if record.position == look.here else "  ")
    lines += [f"! {note}" for note in look.notes]
    lines += [f"Masked: {', '.join(look.mask)}."] if look.mask else []
    lines += [f"This took {amount(look.reads, 'read')} of the shard."] if look.reads else []
    lines += [f"Earlier: {look.earlier}"] if look.earlier is not None else []
    lines += [f"Later: {look.later}"] if look.later is not None else []
    return "\n".join(lines)


def _paragraph(record: ShownRecord, mark: str) -> Iterator[str]:
    written = moment(record.timestamp) if record.timestamp else "no time"
    yield f"{mark}{record.place}  {written}  key {record.key.text}"
    for name, value in record.headers:
        yield f"{INDENT}{name}: {value}"
    yield f"{INDENT}value, {_about(record.value)}:"
    for line in record.value.text.splitlines():
        yield f"{INDENT}{line}"
    if record.value.problem:
        yield f"{INDENT}! {record.value.problem}"


def _about(payload: Payload) -> str:
    return "none" if payload.form is Form.NULL else f"{amount(payload.size, 'byte')}, {payload.form}"
