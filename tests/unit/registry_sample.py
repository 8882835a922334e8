"""Handlers as a project would write them, sound and unsound, for the tests of registry and checks."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from streamapp import KafkaPartitions, KafkaTopic, KafkaTopics, Record, subscriber
from streamapp.brokers.base import Source


@dataclass
class Entry:
    id: int


class Unmakeable:
    pass


@dataclass(frozen=True, slots=True)
class ForeignSource(Source):
    """A source of no broker at all."""

    stream: str = "foreign"


@subscriber(KafkaTopic("orders"))
def handle(entry: Entry) -> None:
    pass


@subscriber(KafkaTopic("orders", group="own"), batch=100, max_ahead=2000, start_at="earliest")
def handle_batch(entries: list[Entry], ctx: Any) -> None:
    pass


@subscriber(KafkaTopic("orders"))
async def handle_async(entry: Entry) -> None:
    pass


@subscriber(KafkaTopic("orders"), batch=10)
async def handle_async_batch(entries: list[Entry]) -> None:
    pass


@subscriber(KafkaTopic("orders"))
def handle_bare(value, anything_at_all=None):  # type: ignore[no-untyped-def]
    pass


@subscriber(KafkaTopic("orders"))
def handle_record(record: "Record | None") -> None:
    pass


@subscriber(KafkaTopic("orders"))
def handle_text(value: str, ctx: "OnlyForTypeCheckers") -> None:  # type: ignore[name-defined] # noqa: F821
    pass


@subscriber(KafkaTopics("^ord.*", group="pattern"))
def handle_pattern(entry: Entry) -> None:
    pass


@subscriber(KafkaTopics(["orders", "returns"], group="pattern"))
def handle_list(entry: Entry) -> None:
    pass


@subscriber(KafkaPartitions("orders"))
def handle_partitions(entry: Entry) -> None:
    pass


@subscriber(KafkaTopic(""))
def handle_nothing(entry: Entry) -> None:
    pass


@subscriber(ForeignSource())
def handle_foreign(entry: Entry) -> None:
    pass


@subscriber("orders")  # type: ignore[arg-type]
def handle_no_source(entry: Entry) -> None:
    pass


@subscriber(KafkaTopic("orders"), bacth=5)  # type: ignore[call-arg]
def handle_misspelt(entry: Entry) -> None:
    pass


@subscriber(KafkaTopic("orders"))
def handle_unmakeable(value: Unmakeable) -> None:
    pass


@subscriber(KafkaTopic("orders"))
def takes_nothing() -> None:
    pass


@subscriber(KafkaTopic("orders"))
def takes_too_much(entry: Entry, ctx: Any, more: int) -> None:
    pass


@subscriber(KafkaTopic("orders"))
def takes_keyword(entry: Entry, *, more: int) -> None:
    pass


@subscriber(KafkaTopic("orders"))
def takes_unresolvable(entry: "Nowhere") -> None:  # type: ignore[name-defined] # noqa: F821
    pass


@subscriber(KafkaTopic("orders"))
def yields(entry: Entry) -> Iterator[None]:
    yield


def logged(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        function(*args, **kwargs)

    return wrapper


@subscriber(KafkaTopic("orders"))
@logged
def handle_wrapped(entries: list[Entry], ctx: Any) -> None:
    pass


def undecorated(entry: Entry) -> None:
    pass


@subscriber  # type: ignore[arg-type]
def without_brackets(entry: Entry) -> None:
    pass


class State:
    pass


def decode(value: bytes) -> str:
    return value.decode("latin-1")


not_callable = 5
