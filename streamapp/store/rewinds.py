"""Rewinds: the one operator action that moves checkpoints, with its audit rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connections

from streamapp.exceptions import StalePlan
from streamapp.models import Checkpoint, HeldRecord, Rewind, RewoundShard
from streamapp.models.fields import encode_position
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.store import notices, statements
from streamapp.store.audit import Asker, Deed, add_entry, enumerated
from streamapp.store.changes import Changes
from streamapp.store.clock import ClockNow
from streamapp.store.connections import short_transaction
from streamapp.store.operating import OPERATING_SECONDS, void_skips

ROWS_A_STATEMENT = 500
Describe = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Move:
    """One checkpoint as it was reviewed: the revision seen, and the position to write."""

    checkpoint: int
    shard: str
    revision: int
    position: int


class RewindStore:
    """Writes rewinds and keeps their trail. `describe` writes a position for people."""

    def __init__(self, using: str, describe: Describe) -> None:
        self._using = using
        self._describe = describe
        self._checkpoints = Checkpoint.objects.using(using)

    def apply(self, subscription: int, moves: Sequence[Move], reviewed_at: datetime, **audit: Any) -> Rewind:
        """Move checkpoints and raise their epochs, all or none; `audit` fills the Rewind row.

        One transaction, or a part of the one that is open. Raises StalePlan when a revision isn't
        the reviewed one, and says what came since `reviewed_at`, by the clock of the database. The
        audit row is written first: SQLite takes its write lock with the first write, and nothing may be
        read before it.
        """
        with short_transaction(self._using, stalled=OPERATING_SECONDS):
            rewind = self._record(subscription, audit)
            rows = self._lock(move.checkpoint for move in moves)
            self._refuse_stale(moves, rows, reviewed_at)
            self._refuse_born(subscription, moves, rows)
            self._trail(rewind, moves, rows)
            self._move(moves)
            notices.send(self._using, subscription)
            add_entry(
                self._using,
                Asker(rewind.origin, rewind.user, rewind.reason),
                _deed(rewind, moves, rows, self._describe),
            )
            rewind.refresh_from_db()
            return rewind

    def _record(self, subscription: int, audit: dict[str, Any]) -> Rewind:
        rewind = Rewind(subscription_id=subscription, requested_at=ClockNow(), **audit)
        rewind.save(using=self._using, force_insert=True)
        return rewind

    def _lock(self, checkpoints: Iterable[int]) -> dict[int, Checkpoint]:
        wanted = self._checkpoints.filter(pk__in=list(checkpoints)).order_by("pk")
        return {row.pk: row for row in wanted.select_for_update()}

    def _trail(self, rewind: Rewind, moves: Sequence[Move], rows: dict[int, Checkpoint]) -> None:
        trail = [
            RewoundShard(
                rewind=rewind,
                checkpoint=rows[move.checkpoint],
                old_position=rows[move.checkpoint].position,
                new_position=move.position,
                epoch=rows[move.checkpoint].epoch + 1,
            )
            for move in moves
        ]
        RewoundShard.objects.using(self._using).bulk_create(trail, batch_size=ROWS_A_STATEMENT)

    def _move(self, moves: Sequence[Move]) -> None:
        rows = [(move.checkpoint, move.revision, encode_position(move.position)) for move in moves]
        connection = connections[self._using]
        with connection.cursor() as cursor:
            cursor.execute(*statements.move_checkpoints(connection.vendor, rows))
        moved = [move.checkpoint for move in moves]
        HeldRecord.objects.using(self._using).filter(checkpoint__in=moved).delete()
        void_skips(self._using, moved)

    def _refuse_stale(
        self, moves: Sequence[Move], rows: dict[int, Checkpoint], reviewed_at: datetime
    ) -> None:
        gone = [move for move in moves if move.checkpoint not in rows]
        there = [(move, rows[move.checkpoint]) for move in moves if move.checkpoint in rows]
        changed = [row for move, row in there if row.revision != move.revision]
        if changed or gone:
            what = Changes(self._using, self._describe, reviewed_at).told(changed)
            what += [f"the checkpoint of {move.shard} is gone" for move in gone]
            found = {**{move.checkpoint: None for move in gone}, **{row.pk: row.position for row in changed}}
            raise StalePlan(
                f"Nothing was rewound. Since the review {_few(what)}. Look at the shards and review again.",
                found,
            )

    def _refuse_born(self, subscription: int, moves: Sequence[Move], rows: Mapping[int, Checkpoint]) -> None:
        """Refuse when a shard that will be read again has a child since the review, which has to wait for it.

        What isn't here yet waits by itself: it is opened by what the row of its parent says then.
        """
        again = {rows[move.checkpoint].key for move in moves if move.position != SHARD_END}
        children = self._checkpoints.filter(subscription=subscription, retired_at=None).exclude(parents=[])
        born = [row for row in children if row.pk not in rows and _parents(row) & again]
        if born:
            raise StalePlan(
                f"Nothing was rewound. Since the review {_few([f'{row} was made' for row in born])} of a "
                "shard that would be read again. Look at the shards and review again.",
                {row.pk: row.position for row in born},
            )


def _parents(row: Checkpoint) -> set[Shard]:
    return {Shard(row.stream, parent, row.incarnation) for parent in row.parents}


def _deed(rewind: Rewind, moves: Sequence[Move], rows: dict[int, Checkpoint], describe: Describe) -> Deed:
    old = enumerated((f"{move.shard}@{describe(rows[move.checkpoint].position)}" for move in moves), "\n")
    new = enumerated((f"{move.shard}@{describe(move.position)}" for move in moves), "\n")
    shards = enumerated(move.shard for move in moves)
    subject = f"{shards} to {rewind.target}"
    return Deed("rewind", rewind.subscription.name, subject, old, new, f"rewind {rewind.pk}")


def _few(phrases: list[str]) -> str:
    more = f" and {len(phrases) - 3} more" if len(phrases) > 3 else ""
    return ", ".join(phrases[:3]) + more
