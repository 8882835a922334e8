"""Log lines: a constant sentence plus fields.

    logger.warning("Record held. %s", Fields(shard=shard, position=12, reason="unknown carrier"))

The sentence can be searched for and counted; a structured handler finds the fields in
`LogRecord.args`, everybody else reads them as `name=value`.
"""

from collections.abc import Callable


class Fields(dict[str, object]):
    """Named values of one log line; written only when the line is."""

    def __init__(self, **values: object) -> None:
        super().__init__(values)

    def __str__(self) -> str:
        return " ".join(f"{name}={_written(value)}" for name, value in self.items())


def text_of(value: object, write: Callable[[object], str] = str) -> str:
    """Return a value as text, whatever it is: an exception of a handler may raise another one here."""
    try:
        return write(value)
    except Exception:  # noqa: BLE001 - the code is not ours, and what it belongs to must be reported
        return f"<{type(value).__name__} without a text>"


def _written(value: object) -> str:
    text = text_of(value)
    return repr(text) if " " in text or not text else text
