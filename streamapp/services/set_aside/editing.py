"""An edited copy of a record set aside: what is shown for editing, and what is kept."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from streamapp.conf import configuration
from streamapp.exceptions import ActionRefused
from streamapp.mount import Mount
from streamapp.services.masking import HIDDEN, Masks, plain
from streamapp.services.set_aside.merging import merged
from streamapp.services.set_aside.rows import as_delivered, broker_of, mounted, place_of
from streamapp.services.shown import FAILURES, refusal
from streamapp.services.wording import amount
from streamapp.store.audit import Asker, Deed, add_entry
from streamapp.store.connections import short_transaction
from streamapp.store.edits import plain as plain_bytes
from streamapp.store.set_aside import SetAside, SetAsideStore

MASKED = f"Fields that MASK hides show as {HIDDEN}. Leave them so, and they keep what they are."
UNTELLABLE = "MASK hides fields, and nobody can tell where they are in these bytes: write the value anew."
NO_TEXT = "The value is no text, so it can't be shown here: write it anew."
PERMISSION = "streamapp.edit_letter"


@dataclass(frozen=True, slots=True)
class Draft:
    """The text to edit, a note on it, and the `version` that it is of."""

    text: str
    note: str
    version: str


def draft(row: Any) -> Draft:
    """Return what may be shown for editing: the edited copy if there is one, else what arrived.

    Raises ActionRefused for a subscription that isn't mounted.
    """
    masks = Masks.of(mounted(row.subscription).mask)
    raw = as_delivered(row).value or b""
    if masks:
        value = _fields(raw)
        if value is None:
            return Draft("", UNTELLABLE, version_of(row))
        return Draft(_written(plain(value, masks)), MASKED, version_of(row))
    try:
        return Draft(raw.decode(), "", version_of(row))
    except UnicodeDecodeError:
        return Draft("", NO_TEXT, version_of(row))


def version_of(row: Any) -> str:
    """Return what tells one edited copy of a row from the next."""
    return row.edited_at.isoformat() if row.edited_at else ""


def edit(model: SetAside, pk: int, text: str, version: str, asker: Asker) -> str:
    """Keep a text as the edited copy, which the handler's type must accept; the original stays as it arrived.

    A text that is the original takes the edited copy away. Returns a sentence that says what was done.
    Raises ActionRefused when the row is gone or in a worker's hand, was edited since `version`, or the
    handler's type refuses the text.
    """
    using = configuration().DATABASE
    store = SetAsideStore(using, model)
    with short_transaction(using):
        row = next(iter(store.lock([pk])), None)
        if row is None:
            raise ActionRefused("The record is gone, or in a worker's hand at this moment: nothing was kept.")
        if version_of(row) != version:
            raise ActionRefused(
                f"{row.edited_by or 'Somebody'} edited the record meanwhile. Nothing of yours was kept: look "
                "at it again."
            )
        value = _value(row, mounted(row.subscription), text)
        arrived = plain_bytes(row.value)
        store.edit(row, None if value == arrived else value, asker.name)
        place = place_of(row, broker_of(row.subscription, using))
        old, new = _about(as_delivered(row).value), _about(value)
        add_entry(using, asker, Deed("edit", row.subscription, place, old, new, "stored"))
    if value == arrived:
        return "It is the original: there is no edited copy now."
    return "The edited copy is kept. It is what a redelivery delivers."


def _value(row: Any, mount: Mount, text: str) -> bytes:
    masks, raw = Masks.of(mount.mask), as_delivered(row).value or b""
    # A browser sends every end of a line as CR LF.
    value = (text if b"\r" in raw else text.replace("\r\n", "\n")).encode()
    if masks and (original := _fields(raw)) is not None and HIDDEN in text:
        value = _written(_restored(value, original, masks)).encode()
    _decode(mount, value, masks)
    return value


def _restored(value: bytes, original: Any, masks: Masks) -> Any:
    try:
        return merged(msgspec.json.decode(value), original, masks)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ActionRefused(f"It is no JSON: {error}") from error


def _decode(mount: Mount, value: bytes, masks: Masks) -> None:
    try:
        if mount.decode:
            mount.decode(value)
    except FAILURES as error:
        raise ActionRefused(f"The handler's type refuses it: {refusal(error, masks)}") from error


def _fields(raw: bytes) -> dict[str, Any] | Sequence[Any] | None:
    with suppress(msgspec.DecodeError, RecursionError):
        value = msgspec.json.decode(raw)
        return value if isinstance(value, dict | list) else None
    return None


def _written(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _about(value: bytes | None) -> str:
    """Say what tells one value from another without showing it: the trail is read by more people."""
    if value is None:
        return "null"
    return f"{amount(len(value), 'byte')}, SHA-256 {sha256(value).hexdigest()}"
