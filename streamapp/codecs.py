"""From the bytes of a record to the type of a handler's parameter, and back."""

import types
from collections.abc import Callable, Iterator
from typing import Any, Union, get_args, get_origin

import msgspec

from streamapp.records import Record

Decode = Callable[[bytes], Any]


def decoder_for(annotation: Any) -> Decode | None:
    """Return what turns the bytes of a value into the annotated type; None for `Record`, which needs none.

    `bytes` come as they are, `str` is strict UTF-8, everything else is JSON: by Pydantic where the
    annotation names one of its models, by msgspec otherwise (dataclasses, `msgspec.Struct`, `dict`,
    `TypedDict`, builtins). `X | None` is allowed, since a null value arrives as None.

    Raises TypeError for a type that none of them can make. What the decoder itself raises for bytes
    that don't fit: `msgspec.DecodeError` (and its subclass `msgspec.ValidationError`), Pydantic's
    `ValidationError` and `UnicodeDecodeError` (both are ValueErrors), RecursionError for JSON nested
    too deeply, and whatever a type's own validation raises.
    """
    meant = _without_none(annotation)
    if meant is Record:
        return None
    if meant in (bytes, str):
        return bytes if meant is bytes else _text
    foreign = [part for part in _classes(msgspec.inspect.type_info(annotation)) if _is_foreign(part)]
    return _pydantic_decoder(annotation, foreign) if foreign else msgspec.json.Decoder(annotation).decode


def encode(value: Any) -> bytes | None:
    """Return the bytes to publish: bytes as they are, text as UTF-8, None as a null value, all else as JSON.

    Raises TypeError (or what the value's own type raises) if it can't be written as JSON.
    """
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if hasattr(type(value), "model_dump_json"):
        return str(value.model_dump_json()).encode()
    return msgspec.json.encode(value)


def _text(value: bytes) -> str:
    return value.decode("utf-8")


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    others = [part for part in get_args(annotation) if part is not types.NoneType]
    return others[0] if len(others) == 1 else annotation


def _classes(info: Any, seen: set[int] | None = None) -> Iterator[msgspec.inspect.Type]:
    """Yield a type and every type in it: the classes of fields, the items of containers, and so on."""
    seen = set() if seen is None else seen
    if id(info) in seen:
        return
    seen.add(id(info))
    if isinstance(info, msgspec.inspect.Type):
        yield info
    if isinstance(info, msgspec.Struct):
        info = msgspec.structs.astuple(info)
    for part in info if isinstance(info, tuple) else ():
        yield from _classes(part, seen)


def _is_foreign(info: msgspec.inspect.Type) -> bool:
    # Of a class that it doesn't know msgspec makes a decoder without complaint; it then refuses every record.
    return isinstance(info, msgspec.inspect.CustomType) or _is_pydantic(info)


def _is_pydantic(info: msgspec.inspect.Type) -> bool:
    return hasattr(getattr(info, "cls", None), "__pydantic_validator__")


def _pydantic_decoder(annotation: Any, foreign: list[msgspec.inspect.Type]) -> Decode:
    if unknown := [info for info in foreign if not _is_pydantic(info)]:
        raise TypeError(f"{unknown[0].cls.__qualname__} can't be made from JSON")  # type: ignore[attr-defined]
    if hasattr(annotation, "model_validate_json"):
        decode: Decode = annotation.model_validate_json
        return decode
    from pydantic import TypeAdapter  # noqa: PLC0415  (optional, and only here known to be installed)

    return TypeAdapter(annotation).validate_json
