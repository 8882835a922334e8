"""Delayed records as rows: who gets them, and what a lost claim may still write."""

from datetime import UTC, datetime

import pytest
from django.db import transaction

from streamapp.copies import Copied
from streamapp.models import DeadLetter, DelayedRecord
from streamapp.records import Record, Shard
from streamapp.store import Store
from streamapp.store.failed import Failure
from streamapp.store.set_aside import SetAsideStore

pytestmark = pytest.mark.django_db
NAME = "ledger.spend"
COPIED = Copied(2, "orders/0@7", datetime(2026, 11, 1, tzinfo=UTC), "busy", 1)


@pytest.fixture
def store():
    return Store("default")


def record(position: int) -> Record:
    return Record(Shard("orders", "0", "made"), position, b"\x00\xff", None, {"by": b"\x00me"}, None)


def claim(store, most=10, seconds=60.0):
    return store.delayed.claim(NAME, seconds, most)


def claims(*claimed):
    return {each.id: each.claim for each in claimed}


def positions(claimed):
    return [each.record.position for each in claimed]


def test_a_record_comes_back_as_it_was_with_the_headers_of_a_copy(store):
    store.delayed.add(NAME, record(7), COPIED, 0.0)
    (claimed,) = claim(store)
    assert claimed.record.shard == record(7).shard
    assert (claimed.record.value, claimed.record.key) == (b"\x00\xff", None)
    assert claimed.record.headers["by"] == b"\x00me"
    assert Copied.read(claimed.record.headers) == COPIED


def test_only_due_ones_of_the_subscription_are_claimed_the_longest_due_first(store):
    for position, seconds in ((1, -5.0), (2, -10.0), (3, 3600.0), (4, -1.0)):
        store.delayed.add(NAME, record(position), COPIED, seconds)
    store.delayed.add("another", record(5), COPIED, -99.0)
    assert positions(claim(store, most=2)) == [2, 1]
    assert positions(claim(store, most=2)) == [4]
    assert claim(store) == []


def test_a_claim_that_has_run_out_is_anybodys_and_one_that_is_renewed_is_not(store):
    for position in (1, 2):
        store.delayed.add(NAME, record(position), COPIED, -1.0)
    first, second = claim(store, seconds=-1.0)
    store.delayed.renew(claims(second), 60.0)
    assert positions(claim(store)) == [first.record.position]


def test_what_is_given_back_is_anybodys_at_once(store):
    store.delayed.add(NAME, record(1), COPIED, -1.0)
    store.delayed.release(claims(*claim(store)))
    assert positions(claim(store)) == [1]


def test_whoever_lost_a_claim_changes_nothing(store):
    store.delayed.add(NAME, record(1), COPIED, -1.0)
    (lost,) = claim(store, seconds=-1.0)
    (mine,) = claim(store)
    assert store.delayed.finish(claims(lost)) == set()
    assert not store.delayed.again(lost, COPIED.copy(), 0.0)
    assert not store.delayed.hold(lost, "no")
    store.delayed.release(claims(lost))
    assert DelayedRecord.objects.get().claim == mine.claim
    assert store.delayed.finish(claims(mine)) == {mine.id}
    assert not DelayedRecord.objects.exists()


def test_one_place_has_one_copy_and_one_letter(store):
    for said in ("first", "second"):
        store.delayed.add(NAME, record(1), COPIED, 0.0)
        store.dead_letters.add(NAME, record(1), COPIED, Failure(said, "builtins.ValueError", said))
    assert DelayedRecord.objects.count() == 1
    assert DeadLetter.objects.get().message == "second"


def test_texts_that_no_database_takes_are_written_all_the_same(store):
    odd = Failure("nul \0 and half \ud800", "a" * 400, "\0", "\ud800")
    store.dead_letters.add(NAME, record(1), COPIED, odd)
    assert DeadLetter.objects.get().reason == "nul \ufffd and half ?"


def test_what_a_handler_says_is_kept_up_to_a_length(store):
    store.dead_letters.add(NAME, record(1), COPIED, Failure("r" * 10**6, "builtins.ValueError", "m" * 10**6))
    letter = DeadLetter.objects.get()
    assert max(len(letter.reason), len(letter.message)) < 11_000
    assert letter.message.endswith("m … cut here; 1,000,000 characters in all")


def test_a_record_that_fails_anew_keeps_its_copy_from_whoever_has_just_handled_it(store):
    """After a rewind: the copy was handled before it, and its row would go with the new failure."""
    store.delayed.add(NAME, record(1), COPIED, -1.0)
    (handled,) = claim(store)
    store.delayed.add(NAME, record(1), COPIED, 3600.0)
    assert store.delayed.finish(claims(handled)) == set()
    assert positions(claim(store)) == [1]


@pytest.mark.parametrize("act", ["edit", "deliver"])
def test_what_an_operator_does_to_a_copy_no_lost_claim_writes_over(store, act):
    store.delayed.add(NAME, record(1), COPIED, -1.0)
    (lost,) = claim(store, seconds=-1.0)
    desk = SetAsideStore("default", DelayedRecord)
    with transaction.atomic():
        (row,) = desk.lock([lost.id])
        if act == "edit":
            desk.edit(row, b"mended", "ann")
        else:
            desk.deliver(row, "orders/0@1")
    assert store.delayed.finish(claims(lost)) == set()
    assert not store.delayed.again(lost, COPIED.copy(), 3600.0)
    assert positions(claim(store)) == [1]


@pytest.mark.parametrize("write", ["finish", "release", "renew"])
def test_a_claim_of_one_record_says_nothing_of_another_that_shares_it(store, write):
    """A copy that fails again at once is claimed anew while its worker still has to end the first claim."""
    for position in (1, 2):
        store.delayed.add(NAME, record(position), COPIED, -1.0)
    (first,) = claim(store, most=1)
    store.delayed.again(first, COPIED.copy(), -1.0)
    again, other = sorted(claim(store), key=lambda each: each.record.position)
    mixed = {**claims(first), **claims(other)}
    before = DelayedRecord.objects.get(pk=again.id)
    store.delayed.renew(mixed, 9999.0) if write == "renew" else getattr(store.delayed, write)(mixed)
    after = DelayedRecord.objects.get(pk=again.id)
    assert (after.claim, after.claimed_until) == (before.claim, before.claimed_until)
    assert not DelayedRecord.objects.filter(pk=other.id, claimed_until=before.claimed_until).exists()
