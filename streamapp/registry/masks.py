"""MASK: the fields that nobody sees where records are shown."""

from typing import Any

from streamapp.problems import Code
from streamapp.registry.entry import Entry

HINT = 'List names of fields, with dots for nested ones: ["iban", "customer.email"].'


def read_mask(entry: Entry) -> tuple[str, ...]:
    """Return the names of the fields to hide; a single text is refused, because it would be its letters."""
    given = entry.get("MASK")
    if given is None:
        return ()
    if not isinstance(given, list | tuple | set | frozenset):
        entry.report(Code.BAD_MASK, f"MASK is {given!r}.", HINT)
        return ()
    if wrong := [name for name in given if not _is_field(name)]:
        entry.report(Code.BAD_MASK, f"MASK has {wrong[0]!r}, which names no field.", HINT)
        return ()
    return tuple(sorted(given)) if isinstance(given, set | frozenset) else tuple(given)


def _is_field(name: Any) -> bool:
    return isinstance(name, str) and all(part and part == part.strip() for part in name.split("."))
