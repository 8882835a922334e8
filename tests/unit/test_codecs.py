"""What a handler's annotation makes of the bytes of a record, and what publishing makes of a value."""

import contextlib
from dataclasses import dataclass, field
from typing import Any, TypedDict

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamapp.codecs import decoder_for, encode
from streamapp.records import Record


@dataclass
class Address:
    street: str


@dataclass
class Shipment:
    id: int
    address: Address
    parts: list["Shipment"] = field(default_factory=list)


class Entry(msgspec.Struct):
    id: int


class Card(TypedDict):
    id: int


class Payout(pydantic.BaseModel):
    id: int = pydantic.Field(gt=0)


@pydantic.dataclasses.dataclass
class Refund:
    id: int = pydantic.Field(gt=0)


@dataclass
class Envelope:
    payout: Payout


class Unknown:
    pass


@dataclass
class Carrying:
    unknown: Unknown


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (Shipment, b'{"id": 1, "address": {"street": "A"}}', Shipment(1, Address("A"))),
        (Entry, b'{"id": 1}', Entry(1)),
        (Card, b'{"id": 1}', {"id": 1}),
        (dict, b'{"id": 1}', {"id": 1}),
        (dict[str, int], b'{"id": 1}', {"id": 1}),
        (list, b"[1, 2]", [1, 2]),
        (int, b"7", 7),
        (Any, b"null", None),
        (Entry | None, b"null", None),
        (Entry | None, b'{"id": 1}', Entry(1)),
        (Payout, b'{"id": 1}', Payout(id=1)),
        (Payout | None, b"null", None),
        (Payout | None, b'{"id": 1}', Payout(id=1)),
        (dict[str, Payout], b'{"a": {"id": 1}}', {"a": Payout(id=1)}),
        (Refund, b'{"id": 1}', Refund(id=1)),
        (Envelope, b'{"payout": {"id": 1}}', Envelope(Payout(id=1))),
        (str, "grüße".encode(), "grüße"),
        (str | None, b"null", "null"),
        (bytes, b"\xff\x00", b"\xff\x00"),
        (bytes | None, b"", b""),
    ],
)
def test_bytes_become_the_annotated_type(annotation: Any, value: bytes, expected: Any) -> None:
    decode = decoder_for(annotation)
    assert decode is not None
    assert decode(value) == expected


@pytest.mark.parametrize("annotation", [Record, Record | None])
def test_a_handler_of_records_needs_no_decoder(annotation: Any) -> None:
    assert decoder_for(annotation) is None


@pytest.mark.parametrize("annotation", [Unknown, Unknown | None, list[Unknown], Carrying, object])
def test_a_type_that_no_record_could_become_is_refused_at_once(annotation: Any) -> None:
    with pytest.raises(TypeError, match=r"can't be made from JSON"):
        decoder_for(annotation)


@pytest.mark.parametrize("annotation", [Payout, Refund, dict[str, Payout]])
def test_pydantic_validates_what_it_declares(annotation: Any) -> None:
    decode = decoder_for(annotation)
    assert decode is not None
    with pytest.raises(pydantic.ValidationError):
        decode(b'{"id": 0}')


@pytest.mark.parametrize("annotation", [Shipment, Entry, Card, dict, int, Payout, Refund, str])
@given(value=st.binary())
def test_bytes_that_do_not_fit_raise_only_what_is_promised(annotation: Any, value: bytes) -> None:
    decode = decoder_for(annotation)
    assert decode is not None
    with contextlib.suppress(msgspec.DecodeError, ValueError):
        decode(value)


def test_json_nested_too_deeply_raises_what_is_promised() -> None:
    decode = decoder_for(list)
    assert decode is not None
    with pytest.raises(RecursionError):
        decode(b"[" * 100_000)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (b"\xff", b"\xff"),
        ("grüße", "grüße".encode()),
        (Shipment(1, Address("A")), b'{"id":1,"address":{"street":"A"},"parts":[]}'),
        (Entry(1), b'{"id":1}'),
        (Payout(id=1), b'{"id":1}'),
        ({"id": 1}, b'{"id":1}'),
        (7, b"7"),
    ],
)
def test_a_published_value_becomes_bytes(value: Any, expected: bytes | None) -> None:
    assert encode(value) == expected


@pytest.mark.parametrize(
    "value", [Shipment(1, Address("A")), Entry(3), Payout(id=2), Refund(id=4), "text", {"a": [1]}]
)
def test_what_was_published_is_what_the_handler_gets(value: Any) -> None:
    decode, sent = decoder_for(type(value)), encode(value)
    assert decode is not None
    assert sent is not None
    assert decode(sent) == value


def test_a_value_without_a_form_is_refused() -> None:
    with pytest.raises(TypeError):
        encode(Unknown())
