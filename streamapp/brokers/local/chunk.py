"""Records of one partition as one query brought them."""

from base64 import b64decode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from streamapp.brokers.reading import Chunk
from streamapp.records import Record, Shard

if TYPE_CHECKING:
    from streamapp.brokers.local.log import Bytes, Row


class LocalChunk(Chunk):
    """Rows of the log; a record is made of one when it is asked for."""

    __slots__ = ("_rows",)

    def __init__(self, shard: Shard, rows: "Sequence[Row]") -> None:
        """Keep at least one row; rows are in the order of their offsets."""
        self.shard = shard
        self.end = rows[-1][0] + 1
        self._rows = rows

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self._rows)

    def position(self, index: int) -> int:
        """Return the offset of one record."""
        return self._rows[index][0]

    @property
    def written(self) -> int:
        """Return when the last record was written, in milliseconds since the epoch."""
        return self._rows[-1][4]

    def values(self, start: int = 0, stop: int | None = None) -> list[bytes | None]:
        """Return the payloads of neighbouring records, in order; None for a tombstone."""
        return [_bytes(row[2]) for row in self._rows[start:stop]]

    def record(self, index: int) -> Record:
        """Return one record whole."""
        offset, key, value, headers, milliseconds = self._rows[index]
        return Record(
            shard=self.shard,
            position=offset,
            value=_bytes(value),
            key=_bytes(key),
            headers={name: b64decode(text) for name, text in headers.items()},
            timestamp=datetime.fromtimestamp(milliseconds / 1000, UTC),
        )


def _bytes(column: "Bytes") -> bytes | None:
    """PostgreSQL's driver gives a memoryview, SQLite's gives bytes."""
    return None if column is None else bytes(column)
