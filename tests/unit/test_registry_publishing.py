"""Publishing from anywhere in a project, on the local broker."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from streamapp import publish, registry
from streamapp.brokers.base import Polled, Subscribing
from streamapp.brokers.local import LocalStream
from streamapp.exceptions import ConfigurationError
from streamapp.records import Record
from tests.unit.registry_sample import Entry

LOCAL = {"BACKEND": "streamapp.brokers.local.LocalBroker"}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def two_brokers() -> Iterator[None]:
    with override_settings(STREAMAPP={"BROKERS": {"default": LOCAL, "other": LOCAL}}):
        yield
        registry.close_brokers()


def records(alias: str, stream: str = "orders") -> list[Record]:
    reader = registry.broker(alias).reader(Subscribing("test", LocalStream(stream), "test"))
    reader.open(dict.fromkeys(registry.broker(alias).shards(LocalStream(stream)), 0))
    polled: Polled = reader.poll(0.1)
    return [chunk.record(index) for chunk in polled.chunks for index in range(len(chunk))]


def test_a_published_record_is_where_the_broker_confirmed_it() -> None:
    published = publish("orders", Entry(1), key="a", headers={"kind": "new", "raw": b"\xff"})
    (record,) = records("default")
    assert (record.shard, record.position) == (published.shard, published.position)
    assert (record.value, record.key) == (b'{"id":1}', b"a")
    assert dict(record.headers) == {"kind": b"new", "raw": b"\xff"}


@pytest.mark.parametrize(
    ("value", "expected"), [(None, None), ("grüße", "grüße".encode()), (b"\xff", b"\xff")]
)
def test_bytes_text_and_null_go_as_they_are(value: Any, expected: bytes | None) -> None:
    publish("orders", value)
    (record,) = records("default")
    assert (record.value, record.key) == (expected, None)


def test_a_key_of_bytes_goes_as_it_is() -> None:
    publish("orders", "x", key=b"\xff")
    assert records("default")[0].key == b"\xff"


def test_the_broker_is_chosen_by_its_alias() -> None:
    publish("orders", "x", broker="other")
    assert len(records("other")) == 1
    assert records("default") == []


def test_an_unknown_broker_is_an_error_and_nothing_is_published() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean 'other'"):
        publish("orders", "x", broker="othr")
    assert records("default") == []


def test_a_value_without_a_form_in_json_is_an_error_and_nothing_is_published() -> None:
    with pytest.raises(TypeError):
        publish("orders", object())
    assert records("default") == []


@pytest.mark.parametrize("options", [{"key": 5}, {"headers": {"tries": 5}}])
def test_a_key_or_header_that_is_no_text_is_an_error_and_nothing_is_published(options: Any) -> None:
    with pytest.raises(TypeError, match="neither text nor bytes"):
        publish("orders", "x", **options)
    assert records("default") == []
