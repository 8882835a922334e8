"""From what an operator writes to a target; the same for commands and for the admin."""

import csv
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from streamapp import positions
from streamapp.exceptions import InvalidPosition
from streamapp.positions import Ago, Moment, Position
from streamapp.services.targets import AsOf, Everywhere, Exact, Place, Target
from streamapp.services.targets.moments import UTC_NAME, refuse_future

COLUMNS = 3


def written_target(texts: Sequence[str], *, clamp: bool) -> Target:
    """Read one position for all shards, or one each as in `3@1200`. Raises InvalidPosition.

    `clamp` lets a number behind the end of its log be moved there.
    """
    if any("@" in text for text in texts):
        return Exact(tuple(map(Place.of, texts)), clamp)
    if len(texts) != 1:
        raise InvalidPosition(f"{' '.join(texts)!r}: several positions each name their shard, as in 3@1200.")
    return everywhere(positions.parse(texts[0]))


def everywhere(position: Position, zone: str = UTC_NAME) -> Target:
    """Return the target of one position. Raises InvalidPosition for a moment that has not come."""
    if isinstance(position, Moment):
        refuse_future(position)
    return Everywhere(position, zone)


def as_of(position: Position, zone: str = UTC_NAME) -> Target:
    """Return the checkpoints of a moment, or of so long ago. Raises InvalidPosition."""
    return AsOf(past_moment(position), zone)


def past_moment(position: Position) -> Moment:
    """Return a moment, or that of so long ago. Raises InvalidPosition for what is none, or has not come."""
    moment = position.moment(datetime.now(UTC)) if isinstance(position, Ago) else position
    if not isinstance(moment, Moment):
        raise InvalidPosition(f"{position} is no moment. Write 2026-11-01T00:00:00Z, or -8h.")
    refuse_future(moment)
    return moment


def csv_target(text: str, *, clamp: bool) -> Target:
    """Read lines `topic,partition,offset`, as Kafka's own tool has them. Raises InvalidPosition."""
    return Exact(tuple(_places(text)), clamp)


def _places(text: str) -> Iterator[Place]:
    found = False
    for number, row in enumerate(_rows(text), 1):
        if len(row) not in (0, COLUMNS) or not all(cell.strip() for cell in row):
            raise InvalidPosition(f"Line {number} isn't topic,partition,offset: {','.join(row)!r}.")
        if row:
            found = True
            topic, partition, offset = (cell.strip() for cell in row)
            yield Place(f"{topic}/{partition}", offset)
    if not found:
        raise InvalidPosition("The file has no line topic,partition,offset.")


def _rows(text: str) -> list[list[str]]:
    try:
        return list(csv.reader(text.splitlines(), skipinitialspace=True))
    except csv.Error as error:
        raise InvalidPosition(f"The file isn't lines topic,partition,offset: {error}.") from error
