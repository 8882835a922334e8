"""Looks at the checkpoint rows all the time, each time together with the effects there are."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Max

from streamapp.engine.settled import read
from streamapp.models import Checkpoint, DeadLetter, DelayedRecord, RewoundShard, Worker
from streamapp.positions import SHARD_END
from tests.chaos.soak.history import Passage
from tests.chaos.soak.models import Effect
from tests.chaos.soak.stage import LADDER

EVERY_SECONDS = 0.05
SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class Sampler:
    """Runs on a thread and a connection of its own, and waits when the database is away.

    `is_silent` tells of a process id whether that process was killed or is stalled.
    """

    def __init__(self, is_silent: Callable[[int], bool]) -> None:
        self._is_silent = is_silent
        self.passages: list[Passage] = []
        self.counted: Counter[str] = Counter()
        self._rows: dict[int, Checkpoint] = {}
        self._owners: dict[int, Worker] = {}
        self._spread: dict[str, dict[int, object]] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self.failure: BaseException | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Look a last time, and end."""
        self._ended.set()
        self._thread.join()
        if self.failure:
            raise self.failure

    def _run(self) -> None:
        try:
            while not self._ended.wait(EVERY_SECONDS):
                self._try()
            self._try()
        except BaseException as error:  # noqa: BLE001 - raised when the soak stops it
            self.failure = error
        finally:
            connection.close()

    def _try(self) -> None:
        try:
            self.look()
        except DatabaseError:
            connection.close()

    def look(self) -> None:
        """Compare the rows with what they said before, in one snapshot."""
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(SNAPSHOT)
            rows = list(Checkpoint.objects.select_related("subscription", "lease__worker"))
            passages = [passage for row in rows for passage in self._passages(row)]
        self.passages += passages
        self._rows = {row.pk: row for row in rows}
        self._watch_leases(rows)
        self.counted["looks"] += 1

    def _passages(self, row: Checkpoint) -> Iterator[Passage]:
        before = self._rows.get(row.pk)
        start = self._start(row, before)
        if row.position > start:
            yield self._passage(row, start, row.position)
        if before is None or row.settled != before.settled:
            for first, last in read(row.settled, row.position):
                yield self._passage(row, first, last + 1)._replace(settled=True)

    def _start(self, row: Checkpoint, before: Checkpoint | None) -> int:
        """Return from where on the row must answer for its records: earlier ones were looked at."""
        if before is None:
            return 0
        moved = RewoundShard.objects.filter(checkpoint=row, epoch__gt=before.epoch, epoch__lte=row.epoch)
        return min([before.position, *moved.values_list("new_position", flat=True)])

    def _passage(self, row: Checkpoint, start: int, end: int) -> Passage:
        name = row.subscription.name
        inside = {"subscription": name, "shard": row.shard, "position__gte": start, "position__lt": end}
        handled = _put_away(row, inside) if name == LADDER else _handled(inside)
        return Passage(name, row.shard, row.epoch, start, end, handled)

    def _watch_leases(self, rows: list[Checkpoint]) -> None:
        spread: dict[str, dict[int, object]] = {}
        for row in _readable(rows):
            worker = row.lease.worker
            spread.setdefault(row.subscription.name, {})[row.pk] = worker and worker.pk
            if worker:
                before = self._owners.get(row.pk, worker)
                self.counted["takeovers"] += before != worker and self._is_silent(before.process_id)
                self._owners[row.pk] = worker
        for name, owners in spread.items():
            if None not in owners.values():
                former = self._spread.get(name, owners)
                self.counted["rebalances"] += any(
                    former.get(pk, owner) != owner for pk, owner in owners.items()
                )
                self._spread[name] = owners


def _handled(inside: Mapping[str, object]) -> dict[int, int]:
    effects = Effect.objects.filter(**inside)
    return dict(effects.values_list("position").annotate(newest=Max("epoch")))


def _put_away(row: Checkpoint, inside: Mapping[str, object]) -> dict[int, int]:
    """Return the places that have an effect or a row; a copy's effect knows no epoch, any worker has it."""
    handled: dict[int, int] = {}
    for model in (Effect, DelayedRecord, DeadLetter):
        positions = model._default_manager.filter(**inside).values_list("position", flat=True)
        handled |= dict.fromkeys(positions, row.epoch)
    return handled


def _readable(rows: list[Checkpoint]) -> Iterator[Checkpoint]:
    """Yield the shards that somebody should have: neither finished nor waiting for their parents."""
    ended = {(row.subscription_id, row.shard) for row in rows if row.position == SHARD_END}
    for row in rows:
        is_free = all((row.subscription_id, parent) in ended for parent in row.parents)
        if row.position != SHARD_END and row.retired_at is None and is_free:
            yield row
