"""The decorator: it declares what a handler reads and runs nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from streamapp.brokers.base import Source
from streamapp.positions import Position

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])
_ATTRIBUTE = "__streamapp__"


class Options(TypedDict, total=False):
    """What a handler may declare beside its source; in capitals, the keys of its entry in the settings."""

    broker: str
    group: str
    batch: int
    transaction: Literal["none", "handler", "checkpoint"]
    lanes: int
    order: Literal["shard", "key", "none"]
    redeliver: Literal["all", "unsettled"]
    start_at: str | Position
    replay_from: str | Position
    replay_scope: Literal["start", "assignment"]
    retry: Mapping[str, Any]
    on_error: str | Callable[..., Any]
    hold: Literal["record", "key", "shard"]
    max_attempts: int
    retry_to: str
    retry_delay: str
    dead_letter: str
    dead_letter_limit: int | str
    on_undecodable: Literal["quarantine", "drop", "hold"]
    on_out_of_range: Literal["earliest", "latest", "stop"]
    checkpoints: Literal["database", "process"]
    state: str | Callable[[], Any]
    decoder: str | Callable[[bytes], Any]
    max_ahead: int
    mask: Sequence[str]
    dry_run: bool
    execute: Literal["worker", "celery"]


KEYS = frozenset(option.upper() for option in Options.__annotations__) | {"HANDLER", "SOURCE"}


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the decorator said about a handler. `options` has the keys of the settings, in capitals."""

    source: Source
    options: Mapping[str, Any]


def subscriber(source: Source, **options: Unpack[Options]) -> Callable[[HandlerT], HandlerT]:
    """Declare that a function handles the records of `source`.

    The function stays callable as before. It runs in a consumer once an entry of
    STREAMAPP["SUBSCRIPTIONS"] names it; what the entry says wins over what is declared here. Wrong
    values are no errors here: the system checks report them.
    """
    declaration = Declaration(source, {name.upper(): value for name, value in options.items()})

    def declare(handler: HandlerT) -> HandlerT:
        setattr(handler, _ATTRIBUTE, declaration)
        return handler

    return declare


def declaration_of(handler: object) -> Declaration | None:
    """Return what was declared for a handler, or None if it was not decorated."""
    found = getattr(handler, _ATTRIBUTE, None)
    return found if isinstance(found, Declaration) else None
