"""Values of records by their places."""

from collections.abc import Iterable


def places(partition: int | str, numbers: Iterable[int]) -> list[str]:
    """Return what `Log.fill` wrote there: `1@7` is the record at 7 of partition 1."""
    return [f"{partition}@{number}" for number in numbers]
