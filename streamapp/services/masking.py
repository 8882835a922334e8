"""Decoded values as plain data, without the fields that MASK hides."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import msgspec

from streamapp.services.payloads import text_or_hex

HIDDEN = "(masked)"
PLAIN = (str, int, float, bool, type(None))
WRITTEN = (Decimal, date, time, timedelta, UUID)
Names = tuple[str, ...]
"""All names of one field: in Python, and in the record."""


@dataclass(frozen=True, slots=True)
class Masks:
    """What to hide: fields by their name wherever they are, and fields by their path from the top.

    Case, `_` and `-` don't count in names. A list is no step of a path.
    """

    names: frozenset[str]
    paths: frozenset[Names]

    @classmethod
    def of(cls, mask: Iterable[str]) -> "Masks":
        """Read MASK: a name without a dot is one that is hidden everywhere."""
        split = [tuple(map(_folded, name.split("."))) for name in mask]
        names = frozenset(path[0] for path in split if len(path) == 1)
        return cls(names, frozenset(path for path in split if len(path) > 1))

    def __bool__(self) -> bool:
        """Tell whether anything is hidden."""
        return bool(self.names or self.paths)

    def hides(self, path: Sequence[Names]) -> bool:
        """Tell whether the field at the end of a path is hidden."""
        folded = [{_folded(name) for name in names} for names in path]
        if folded[-1] & self.names:
            return True
        return any(
            len(masked) == len(folded)
            and all(part in names for part, names in zip(masked, folded, strict=True))
            for masked in self.paths
        )


def plain(value: Any, masks: Masks, path: tuple[Names, ...] = ()) -> Any:
    """Return a decoded value as dicts, lists and texts.

    With any mask, what has fields that nobody can tell is hidden as a whole. Raises what the attributes
    of a type raise, and RecursionError for what is nested too deeply.
    """
    if (fields := _fields(value)) is not None:
        return {
            names[0]: HIDDEN if masks.hides((*path, names)) else plain(part, masks, (*path, names))
            for names, part in fields
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, masks, path) for item in value]
    return _leaf(value, masks)


def _leaf(value: Any, masks: Masks) -> Any:
    if isinstance(value, Enum):
        return _leaf(value.value, masks)
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, WRITTEN):
        return str(value)
    if masks:
        return HIDDEN
    return text_or_hex(value) if isinstance(value, bytes | memoryview) else str(value)


def _fields(value: Any) -> Iterator[tuple[Names, Any]] | None:
    """Return the fields of a value, each with all of its names; None for what has no fields."""
    if isinstance(value, Mapping):
        return (((str(name),), part) for name, part in value.items())
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.fields(value)
        return (((field.name, field.encode_name), getattr(value, field.name)) for field in fields)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return (((field.name,), getattr(value, field.name)) for field in dataclasses.fields(value))
    if hasattr(type(value), "model_fields"):
        return _fields_of_model(value)
    if hasattr(value, "_asdict"):
        return _fields(value._asdict())
    if isinstance(value, (*PLAIN, *WRITTEN, Enum, bytes)) or not hasattr(value, "__dict__"):
        return None
    public = {name: part for name, part in vars(value).items() if not name.startswith("_")}
    return _fields(public) if public else None


def _fields_of_model(value: Any) -> Iterator[tuple[Names, Any]]:
    """Return the fields of a Pydantic model, also those that it doesn't declare."""
    for name, field in type(value).model_fields.items():
        given = (field.alias, field.validation_alias, field.serialization_alias)
        yield (name, *(part for alias in given for part in _texts(alias))), getattr(value, name)
    yield from (((name,), part) for name, part in (value.model_extra or {}).items())


def _texts(alias: Any) -> Iterator[str]:
    """Return the names in an alias: itself, those that it chooses from, the steps of its path."""
    parts = getattr(alias, "choices", None) or getattr(alias, "path", None) or [alias]
    for part in parts:
        if part is not alias:
            yield from _texts(part)
        elif isinstance(alias, str):
            yield alias


def _folded(name: str) -> str:
    return re.sub(r"[_\-\s]", "", name).casefold()
