"""Putting hidden fields back into what was edited without seeing them."""

from typing import Any

from streamapp.exceptions import ActionRefused
from streamapp.services.masking import HIDDEN, Masks, Names, plain


def merged(edited: Any, original: Any, masks: Masks, path: tuple[Names, ...] = ()) -> Any:
    """Return what was edited, each hidden field with its value in the original, at the same place only.

    Raises ActionRefused where the mark of a hidden field stands and no such field is hidden, and where a
    list with hidden fields was changed: nobody can tell which of its items is which.
    """
    if edited == HIDDEN:
        raise ActionRefused(f"{HIDDEN} stands where no field is hidden. Write the value, or take it out.")
    if isinstance(edited, dict):
        known = original if isinstance(original, dict) else {}
        return {name: _field(part, known, name, masks, (*path, (name,))) for name, part in edited.items()}
    if isinstance(edited, list) and _hides(edited):
        if edited != plain(original, masks, path):
            raise ActionRefused("A list with hidden fields was changed. Write those fields as well.")
        return original
    return edited


def _field(part: Any, known: dict[str, Any], name: str, masks: Masks, path: tuple[Names, ...]) -> Any:
    if part == HIDDEN and masks.hides(path) and name in known:
        return known[name]
    return merged(part, known.get(name), masks, path)


def _hides(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_hides, value.values()))
    return any(map(_hides, value)) if isinstance(value, list) else value == HIDDEN
