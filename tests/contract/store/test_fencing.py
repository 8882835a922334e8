"""Epochs fence late saves: faults 6, 10, 11 and 14, on SQLite and on PostgreSQL."""

import threading
import time
from contextlib import suppress

import pytest
from django.db import Error as DatabaseError
from django.db import connection
from django.utils import timezone

from streamapp.models import Rewind
from streamapp.models.fields import decode_position, encode_position
from streamapp.store import Store
from streamapp.store.checkpoints import Difference, Place, Save
from streamapp.store.rewinds import Move, RewindStore

pytestmark = pytest.mark.django_db


def save(rows, taken, position, *, first=False):
    return rows.store.checkpoints.save([Save(taken.checkpoint, taken.epoch, Place(position), first)])


def take(rows, worker, index=0):
    [taken] = rows.store.leases.take(worker, [rows.ids[index]])
    return taken


def test_a_takeover_reads_the_position_after_it_has_raised_the_epoch(rows):
    first = take(rows, rows.worker())
    save(rows, first, 150)
    second = take(rows, rows.worker())
    assert (second.position, second.epoch) == (150, first.epoch + 1)


def test_late_saves_of_the_old_owner_are_refused_backwards_and_forwards(rows):
    late = take(rows, rows.worker())
    new = take(rows, rows.worker())
    save(rows, new, 500)
    assert save(rows, late, 400) == set()
    assert save(rows, late, 600) == set()
    assert save(rows, late, 600, first=True) == set()
    assert rows.row().position == 500


def test_a_checkpoint_only_moves_forwards_within_a_generation(rows):
    taken = take(rows, rows.worker())
    save(rows, taken, 200)
    assert save(rows, taken, 150) == set()
    assert rows.row().position == 200


def test_the_first_save_of_a_generation_may_go_backwards(rows):
    taken = take(rows, rows.worker())
    save(rows, taken, 200)
    assert save(rows, taken, 50, first=True) == {taken.checkpoint}
    assert rows.row().position == 50


def test_positions_are_compared_as_numbers_of_any_length(rows):
    taken = take(rows, rows.worker())
    huge = int("4" * 56)
    assert save(rows, taken, 1000) == {taken.checkpoint}
    assert save(rows, taken, 999) == set()
    assert save(rows, taken, huge) == {taken.checkpoint}
    assert rows.row().position == huge


def test_one_fenced_row_does_not_keep_the_others_from_being_saved(rows):
    worker = rows.worker()
    ours, lost = take(rows, worker, 0), take(rows, worker, 1)
    take(rows, rows.worker(), 1)
    saves = [Save(taken.checkpoint, taken.epoch, Place(150), False) for taken in (ours, lost)]
    assert rows.store.checkpoints.save(saves) == {ours.checkpoint}
    assert (rows.row(0).position, rows.row(1).position) == (150, 100)


def test_a_save_whose_reply_was_lost_reads_back_as_ours(rows):
    worker = rows.worker()
    taken = take(rows, worker)
    save(rows, taken, 150)
    assert save(rows, taken, 150) == set()
    assert rows.store.checkpoints.differences(worker, {taken.checkpoint: taken.epoch}) == []


def test_a_takeover_shows_as_a_difference_with_its_owner(rows):
    old, new = rows.worker(), rows.worker()
    lost, kept = take(rows, old, 0), take(rows, old, 1)
    taken = take(rows, new, 0)
    epochs = {lost.checkpoint: lost.epoch, kept.checkpoint: kept.epoch}
    assert rows.store.checkpoints.differences(old, epochs) == [
        Difference(lost.checkpoint, taken.epoch, Place(100), new)
    ]


def test_a_takeover_writes_owner_and_epoch_and_nothing_else(rows):
    """A save that lands between the read and the write of a takeover is kept (fault 11)."""
    first = take(rows, rows.worker())
    save(rows, first, 777)
    take(rows, rows.worker())
    assert rows.row().position == 777


@pytest.mark.parametrize("position", [0, 9, 10, 10**55, 10**129])
def test_a_position_is_stored_so_that_text_order_is_number_order(position):
    assert decode_position(encode_position(position)) == position
    assert encode_position(position) < encode_position(position + 1)


def test_a_negative_position_is_refused():
    with pytest.raises(ValueError, match="0 or more"):
        encode_position(-1)


def test_a_save_is_one_statement_and_needs_no_other_to_be_committed(rows, django_assert_num_queries):
    taken = take(rows, rows.worker())
    with django_assert_num_queries(1):
        save(rows, taken, 150)


@pytest.mark.live("postgres")
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_stalls_in_the_middle_of_a_takeover_does_not_block_the_next(rows, monkeypatch):
    """Its session is ended; until then the next owner waits for the row."""
    stalled, resumed = threading.Event(), threading.Event()
    stalling = Store("default")

    def stall(_: object) -> list:
        stalled.set()
        resumed.wait(20)
        return []

    monkeypatch.setattr(stalling.leases, "_fence", stall)
    first, second = rows.worker(), rows.worker()
    thread = threading.Thread(target=_take_and_close, args=(stalling, first, rows.ids))
    thread.start()
    stalled.wait(10)
    begin = time.monotonic()
    [taken, _] = rows.store.leases.take(second, rows.ids)
    assert time.monotonic() - begin < 10
    resumed.set()
    thread.join()
    assert rows.owner() == second
    assert save(rows, taken, 150) == {taken.checkpoint}


@pytest.mark.live("postgres")
@pytest.mark.django_db(transaction=True)
def test_a_rewind_that_stalls_in_the_middle_does_not_keep_workers_from_saving(rows, monkeypatch):
    """Its session is ended, and nothing of it is stored."""
    stalled, resumed = threading.Event(), threading.Event()

    def stall(*_: object) -> None:
        stalled.set()
        resumed.wait(30)

    monkeypatch.setattr("streamapp.store.rewinds.OPERATING_SECONDS", 1)
    monkeypatch.setattr(RewindStore, "_move", stall)
    taken = take(rows, rows.worker())
    thread = threading.Thread(target=_rewind_and_close, args=(rows, taken))
    thread.start()
    assert stalled.wait(10)
    begin = time.monotonic()
    assert save(rows, taken, 150) == {taken.checkpoint}
    assert time.monotonic() - begin < 15
    resumed.set()
    thread.join()
    assert Rewind.objects.count() == 0


def _rewind_and_close(rows, taken):
    moves = [Move(taken.checkpoint, "orders/0", rows.row().revision, 50)]
    try:
        with suppress(DatabaseError):
            RewindStore("default", str).apply(
                rows.subscription, moves, timezone.now(), target="50", origin="test"
            )
    finally:
        connection.close()


def _take_and_close(store, worker, ids):
    try:
        with suppress(DatabaseError):
            store.leases.take(worker, ids)
    finally:
        connection.close()
