"""Headers travel in the envelope that other systems write too, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamapp.brokers.kinesis.envelope import unwrap, wrap
from streamapp.exceptions import PublishFailed

VECTORS = [
    ({}, b"payload", b"payload"),
    ({}, b"", b""),
    ({"trace": b"1"}, b"payload", b"RSK1\x00\x00\x00\x09trace: 1\npayload"),
    ({"trace": b"1", "empty": b""}, b"", b"RSK1\x00\x00\x00\x11trace: 1\nempty: \n"),
    ({"städte": "Köln".encode()}, b"\x00\xff", "RSK1\0\0\0\x0fstädte: Köln\n".encode() + b"\x00\xff"),
]
names = st.text(st.characters(exclude_characters=":\n", exclude_categories=["Cs"]), min_size=1)
values = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])).map(str.encode)


@pytest.mark.parametrize(("headers", "payload", "data"), VECTORS)
def test_the_envelope_has_exactly_these_bytes(headers, payload, data):
    assert wrap(payload, headers) == data
    assert unwrap(data) == (headers, payload)


@given(st.dictionaries(names, values), st.binary())
def test_what_was_wrapped_is_unwrapped(headers, payload):
    assert unwrap(wrap(payload, headers)) == (headers, payload)


def test_a_payload_that_begins_like_an_envelope_stays_a_payload():
    for payload in (b"RSK1", b"RSK1\x00\x00\x00\x01\nx"):
        assert unwrap(wrap(payload, {})) == ({}, payload)


@pytest.mark.parametrize(
    "data",
    [
        b"RSK1",
        b"RSK1\x00\x00",
        b"RSK1\xff\xff\xff\xffa: b\n",
        b"RSK1\x00\x00\x00\x03abc",
        b"RSK1\x00\x00\x00\x02\xff\n",
    ],
)
def test_what_is_no_whole_envelope_is_a_payload(data):
    assert unwrap(data) == ({}, data)


@pytest.mark.parametrize(
    "headers", [{"": b""}, {"a:b": b""}, {"a\nb": b""}, {"a": b"two\nlines"}, {"a": b"\xff"}]
)
def test_headers_that_lines_cannot_carry_are_refused(headers):
    with pytest.raises(PublishFailed):
        wrap(b"", headers)
