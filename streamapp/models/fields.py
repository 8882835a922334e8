"""How positions are stored: whole numbers of up to 150 digits that sort as numbers everywhere."""

from typing import Any

from django.db import models


class PositionField(models.CharField):  # type: ignore[type-arg]
    """A whole number as text: three digits of length, then the number.

    A Kinesis sequence number has 56 digits or more, which no integer column holds (SQLite would
    round it). Length first makes text order the order of the numbers under every collation.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["max_length"] = 153
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        """Leave the fixed length out of migrations."""
        name, path, args, kwargs = super().deconstruct()
        del kwargs["max_length"]
        return name, path, args, kwargs

    def from_db_value(self, value: str | None, *_: object) -> int | None:
        """Read the stored form."""
        return None if value is None else decode_position(value)

    def to_python(self, value: Any) -> int | None:
        """Take a number or its digits."""
        return None if value is None else int(value)

    def get_prep_value(self, value: Any) -> str | None:
        """Write the stored form, also for comparisons."""
        return None if value is None else encode_position(int(value))


def encode_position(position: int) -> str:
    """Write a position in its stored form; negative numbers are refused with ValueError."""
    if position < 0:
        raise ValueError(f"A position is 0 or more, not {position}.")
    digits = str(position)
    return f"{len(digits):03d}{digits}"


def decode_position(text: str) -> int:
    """Read a position from its stored form."""
    return int(text[3:])
