"""What is shown of a record: decoded, masked, harmless, cut."""

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import pytest
from pydantic import AliasPath, BaseModel, Field, SecretStr

from streamapp import Record as WholeRecord
from streamapp.codecs import decoder_for
from streamapp.mount import Mount, Shape
from streamapp.records import Record, Shard
from streamapp.services.masking import HIDDEN, Masks, plain
from streamapp.services.payloads import SHOWN_CHARACTERS
from streamapp.services.shown import Form, ShownRecord, shown

IBAN = "DE02120300000000202051"
SHARD = Shard("orders", "0")


def of(value: bytes | None, annotation: Any = dict, mask: tuple[str, ...] = (), **more: Any) -> ShownRecord:
    decode = (
        annotation if callable(annotation) and not isinstance(annotation, type) else decoder_for(annotation)
    )
    shape = Shape(is_async=False, is_batch=False, takes_context=False, annotation=annotation)
    mount = Mount("one", print, shape, decode, "local", None, "one", mask=mask)  # type: ignore[arg-type]
    return shown(Record(SHARD, 7, value, **more), mount, str)


@dataclass
class Bank:
    iban: str
    holder: str = "Ada"


@dataclass
class Customer:
    name: str
    bank: Bank
    history: list[Bank] = field(default_factory=list)


class Payment(msgspec.Struct, rename="camel"):
    card_number: str
    amount: int = 1


class Account(BaseModel):
    number: str = Field(alias="iban")
    holder: str = "Ada"


class Path(BaseModel):
    number: str = Field(validation_alias=AliasPath("bank", "iban"))


class Extra(BaseModel, extra="allow"):
    holder: str = "Ada"


class Pair(NamedTuple):
    iban: str
    holder: str


class Hand:
    """What a decoder of the project may return."""

    def __init__(self, iban: str) -> None:
        self.iban = iban


class Closed:
    """A value that shows its fields to nobody but prints them."""

    __slots__ = ("iban",)

    def __init__(self, iban: str) -> None:
        self.iban = iban

    def __str__(self) -> str:
        return self.iban


def test_a_value_is_shown_as_its_handler_gets_it():
    record = of(b'{"iban": "X", "unknown": 1}', Bank)
    assert json.loads(record.value.text) == {"iban": "X", "holder": "Ada"}
    assert (record.value.form, record.value.size, record.value.problem) == (Form.DECODED, 27, "")


def test_what_the_handler_would_refuse_is_shown_as_it_is_with_the_reason():
    record = of(b'{"holder": 5}', Bank)
    assert json.loads(record.value.text) == {"holder": 5}
    assert record.value.form is Form.JSON
    assert record.value.problem.endswith("Expected `str`, got `int` - at `$.holder`")
    assert of(b"{", Bank).value.text == "{"


@pytest.mark.parametrize(
    "raw, annotation, form, text",
    [
        (None, dict, Form.NULL, "null"),
        (b"\xff\x00", bytes, Form.RAW, "hex: ff 00"),
        (b"plain", str, Form.RAW, "plain"),
        (b'{"a":1}', bytes, Form.JSON, '{\n  "a": 1\n}'),
        (b'{"a":1}', WholeRecord, Form.JSON, '{\n  "a": 1\n}'),
        (b"5", int, Form.DECODED, "5"),
    ],
)
def test_every_kind_of_handler_has_its_form(raw, annotation, form, text):
    record = of(raw, annotation)
    assert (record.value.form, record.value.text) == (form, text)


def as_json(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


NESTED = as_json(name="Ada", bank={"iban": IBAN}, history=[{"iban": IBAN, "holder": "Bob"}])
HIDING = [
    (as_json(iban=IBAN), Bank, ("iban",)),
    (as_json(iban=IBAN), Bank, ("IBAN",)),
    (NESTED, Customer, ("iban",)),
    (NESTED, Customer, ("bank", "history")),
    (NESTED, Customer, ("bank.iban", "history.iban")),
    (as_json(cardNumber=IBAN), Payment, ("card_number",)),
    (as_json(cardNumber=IBAN), Payment, ("cardNumber",)),
    (as_json(iban=IBAN), Account, ("iban",)),
    (as_json(iban=IBAN), Account, ("number",)),
    (as_json(bank={"iban": IBAN}), Path, ("iban",)),
    (as_json(iban=IBAN), Extra, ("iban",)),
    (as_json(a=[[{"b": {"iban": IBAN}}]]), dict, ("a.b.iban",)),
    (as_json(iban=IBAN), bytes, ("iban",)),
    (as_json(iban=IBAN), WholeRecord, ("iban",)),
    (f'"{IBAN}"'.encode(), str, ("iban",)),
    (IBAN.encode(), str, ("iban",)),
    (IBAN.encode(), bytes, ("iban",)),
    (as_json(iban=IBAN, holder=5), Bank, ("iban",)),
    (b'{"iban": "' + IBAN.encode(), Bank, ("iban",)),
    (as_json(iban=[IBAN]), Account, ("iban",)),
    (as_json(iban=IBAN), lambda raw: Pair(IBAN, "Ada"), ("iban",)),
    (as_json(iban=IBAN), lambda raw: Hand(IBAN), ("iban",)),
    (as_json(iban=IBAN), lambda raw: [Closed(IBAN)], ("iban",)),
    (as_json(iban=IBAN), lambda raw: 1 / 0, ("iban",)),
]


@pytest.mark.parametrize("raw, annotation, mask", HIDING)
def test_a_masked_field_is_nowhere_to_be_seen(raw, annotation, mask):
    assert IBAN in repr(of(raw, annotation)), "without a mask it is there"
    record = repr(of(raw, annotation, mask))
    assert IBAN not in record and IBAN.encode().hex(" ") not in record
    assert HIDDEN in record


def test_a_path_hides_its_own_field_only_and_a_name_every_one():
    hidden = json.loads(of(NESTED, Customer, ("bank.iban",)).value.text)
    assert hidden["bank"]["iban"] == HIDDEN
    assert hidden["history"][0]["iban"] == IBAN
    assert json.loads(of(NESTED, Customer, ("iban",)).value.text)["history"][0]["holder"] == "Bob"


def test_keys_and_headers_are_masked_by_the_names_of_their_fields():
    given = {"key": as_json(iban=IBAN), "headers": {"iban": IBAN.encode(), "trace": b"1"}}
    assert IBAN in repr(of(b"{}", **given))
    record = of(b"{}", mask=("iban",), **given)
    assert IBAN not in repr(record)
    assert record.headers == (("iban", HIDDEN), ("trace", "1"))
    assert of(b"{}", mask=("iban",), key=b"customer 7").key.text == "customer 7"
    assert of(b"{}", mask=("iban",), key=as_json(iban=IBAN)[:-1]).key.form is Form.MASKED


def test_a_reason_never_quotes_what_is_masked():
    assert IBAN in of(as_json(iban=[IBAN]), Account).value.problem
    assert of(as_json(iban=[IBAN]), Account, ("iban",)).value.problem.endswith(": ValidationError")


def test_a_secret_of_pydantic_stays_one():
    class Login(BaseModel):
        password: SecretStr

    assert "hunter2" not in repr(of(as_json(password="hunter2"), Login))


def test_a_long_value_is_cut_and_says_how_long_it_is():
    for raw, annotation in (
        (as_json(text="x" * 2 * SHOWN_CHARACTERS), dict),
        (b"\xff" * 2 * SHOWN_CHARACTERS, bytes),
    ):
        value = of(raw, annotation).value
        assert len(value.text) < SHOWN_CHARACTERS + 100
        assert f"… cut here; {len(raw):,} bytes in all" in value.text


def test_many_and_long_headers_are_cut_too():
    many = of(b"{}", headers={str(number): b"x" * 5000 for number in range(500)}).headers
    assert len(many) == 101 and many[-1] == ("…", "400 more headers")
    assert "cut here; 5,000 bytes in all" in many[0][1]


@pytest.mark.parametrize("annotation", [dict, bytes, str])
def test_nothing_that_a_terminal_or_a_browser_obeys_is_left(annotation):
    evil = "\x1b[2J\u202e\x9b\0\x07"
    raw = json.dumps({"text": evil}, ensure_ascii=False).encode() if annotation is dict else evil.encode()
    record = of(raw, annotation, key=evil.encode(), headers={evil: evil.encode()})
    for text in (record.value.text, record.key.text, *record.headers[0]):
        assert not set(evil) & set(text) - set("[2J")


def test_halves_of_characters_can_be_printed():
    shown = of(b'{"text": "\\ud800"}', lambda raw: {"text": "\ud800"}).value.text
    assert b"d800" in shown.encode()


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"a":' * 100_000])
def test_what_is_nested_too_deeply_is_shown_as_text(raw):
    assert of(raw, dict).value.text.startswith(raw[:10].decode())
    assert of(raw, dict, ("iban",)).value.form is Form.MASKED


def test_what_contains_itself_is_shown_without_it():
    loop: dict[str, Any] = {}
    loop["self"] = loop
    assert of(b"raw", lambda raw: loop).value.text == "raw"


def test_a_mask_without_names_hides_nothing():
    assert not Masks.of(())
    assert plain({"a": b"\xff"}, Masks.of(())) == {"a": "hex: ff"}
