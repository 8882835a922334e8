"""The write inside a handler's transaction: a row moves only if it says what its owner believes."""

import threading
import time

import pytest
from django.db import connection, transaction

from streamapp.store.checkpoints import Exchange, Place, Save

pytestmark = pytest.mark.django_db
OLD, NEW = Place(100), Place(103, "2+1")


def exchange(rows, taken, old=OLD, new=NEW, index=0):
    return rows.store.checkpoints.exchange([Exchange(rows.ids[index], taken.epoch, old, new)])


def place(rows, index=0):
    row = rows.row(index)
    return Place(row.position, row.settled)


@pytest.fixture
def taken(rows):
    [taken] = rows.store.leases.take(rows.worker(), rows.ids[:1])
    return taken


def test_a_row_that_is_as_believed_moves(rows, taken):
    assert exchange(rows, taken) == {taken.checkpoint}
    assert place(rows) == NEW


def test_a_row_that_another_worker_has_taken_does_not_move(rows, taken):
    rows.store.leases.take(rows.worker(), rows.ids[:1])
    assert exchange(rows, taken) == set()
    assert place(rows) == OLD


def test_a_row_whose_position_is_another_does_not_move(rows, taken):
    """An earlier commit has moved it, and its reply was lost."""
    exchange(rows, taken, new=Place(101))
    assert exchange(rows, taken) == set()
    assert place(rows) == Place(101)


def test_a_row_of_which_something_else_is_settled_does_not_move(rows, taken):
    exchange(rows, taken, new=Place(100, "5+0"))
    assert exchange(rows, taken) == set()
    assert place(rows) == Place(100, "5+0")


def test_a_row_that_is_as_believed_may_go_back(rows, taken):
    """A handler that seeks stores where to, with what it wrote."""
    assert exchange(rows, taken, new=Place(7)) == {taken.checkpoint}
    assert place(rows) == Place(7)


def test_only_the_rows_that_moved_are_told(rows):
    worker = rows.worker()
    ours, lost = rows.store.leases.take(worker, rows.ids)
    rows.store.leases.take(rows.worker(), rows.ids[1:])
    exchanges = [Exchange(each.checkpoint, each.epoch, OLD, NEW) for each in (ours, lost)]
    assert rows.store.checkpoints.exchange(exchanges) == {ours.checkpoint}
    assert (place(rows, 0), place(rows, 1)) == (NEW, OLD)


@pytest.mark.live("postgres")
@pytest.mark.django_db(transaction=True)
def test_a_takeover_that_meets_a_save_starts_behind_it(rows):
    """The save comes first, and the takeover waits for it: what was saved isn't handled again."""
    dead, taker = rows.worker(), rows.worker()
    [held] = rows.store.leases.take(dead, rows.ids[:1])
    rows.store.workers.depart(dead)
    saved, taken = threading.Event(), []

    def take():
        saved.wait(10)
        try:
            taken.extend(rows.store.leases.take_free(taker, rows.ids[:1], 1))
        finally:
            connection.close()

    thread = threading.Thread(target=take)
    thread.start()
    with transaction.atomic():
        rows.store.checkpoints.save([Save(held.checkpoint, held.epoch, Place(150), False)])
        saved.set()
        wait_until_another_session_waits()
    thread.join()
    assert [(lease.position, lease.epoch) for lease in taken] == [(150, held.epoch + 1)]


def wait_until_another_session_waits():
    """Ask the server, from the session that has the lock, until another one waits for it."""
    for _ in range(1000):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits for the row")
