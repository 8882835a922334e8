"""What is published in a dry run: kept instead of sent, so that it can be shown."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unsent:
    """A record that `streamapp.publish` was given and didn't send."""

    destination: str
    value: bytes | None
    key: bytes | None
    headers: Mapping[str, bytes]


_kept: ContextVar[list[Unsent] | None] = ContextVar("streamapp_unsent", default=None)


@contextmanager
def kept_back() -> Iterator[list[Unsent]]:
    """Keep what is published inside, in this thread and in the coroutines that it waits for; yields it."""
    unsent: list[Unsent] = []
    token = _kept.set(unsent)
    try:
        yield unsent
    finally:
        _kept.reset(token)


def keep_back(record: Unsent) -> bool:
    """Keep a record if this is a dry run; False if it is to be sent."""
    kept = _kept.get()
    if kept is None:
        return False
    kept.append(record)
    return True
