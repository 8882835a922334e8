"""DEAD_LETTER_LIMIT is one for all workers of a subscription, whoever writes the letters."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connections, transaction

from streamapp.ladder import Limit
from streamapp.models import CountedLetter, Subscription
from streamapp.store import Store
from streamapp.store.letter_counts import Letter

NAME = "ledger.spend"
IN_A_ROW = Limit(3, 3)
SHARE = Limit(3, 10)


@pytest.fixture
def counts(db):
    Subscription.objects.create(name=NAME, broker="local")
    return Store("default").letter_counts


def counted(counts, limit, *letters):
    """Count letters, each told as how many records its worker has seen since its last one."""
    return [counts.count(NAME, Letter(f"orders/0@{n}", records), limit) for n, records in enumerate(letters)]


def test_letters_of_several_workers_in_a_row(counts):
    assert counted(counts, IN_A_ROW, 1, 1, 1, 1, 1) == [True, True, True, False, False]
    assert counts.is_tripped(NAME)


def test_records_that_were_handled_in_between_part_them(counts):
    assert counted(counts, IN_A_ROW, 1, 1, 2, 1, 1, 1) == [True, True, True, True, True, False]


def test_a_share(counts):
    assert counted(counts, SHARE, 1, 5, 5, 1, 1) == [True, True, True, True, False]


def test_a_record_counts_once_however_often_its_letter_is_tried(counts):
    for _ in range(9):
        assert counts.count(NAME, Letter("orders/0@1", 0), IN_A_ROW)
    assert CountedLetter.objects.count() == 1


def test_it_begins_anew_when_somebody_resumes(counts):
    counted(counts, IN_A_ROW, 1, 1, 1, 1)
    counts.begin_anew(Subscription.objects.get().pk)
    assert not counts.is_tripped(NAME)
    assert counted(counts, IN_A_ROW, 1, 1, 1, 1) == [True, True, True, False]


def test_what_does_not_matter_any_more_is_forgotten(counts):
    assert all(counted(counts, IN_A_ROW, *[9] * 50))
    assert CountedLetter.objects.count() <= IN_A_ROW.letters + 1


def test_another_subscription_has_a_count_of_its_own(counts):
    Subscription.objects.create(name="shipping.ship", broker="local")
    counted(counts, IN_A_ROW, 1, 1, 1, 1)
    assert counts.count("shipping.ship", Letter("orders/0@9", 1), IN_A_ROW)


@pytest.mark.django_db(transaction=True)
def test_four_workers_at_once_write_no_more_than_the_limit():
    Subscription.objects.create(name=NAME, broker="local")
    limit = Limit(20, 20)

    def worker(number):
        try:
            counts = Store("default").letter_counts
            return sum(counts.count(NAME, Letter(f"orders/{number}@{n}", 1), limit) for n in range(20))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(worker, range(4))) == 20


@pytest.mark.django_db(transaction=True)
def test_somebody_resumes_while_letters_are_counted():
    """A letter that is counted meanwhile must not stand in the way of the delete."""
    owner = Subscription.objects.create(name=NAME, broker="local").pk
    limit, resumed = Limit(500, 500), Event()

    def worker(number):
        try:
            counts, letter = Store("default").letter_counts, 0
            while not resumed.is_set():
                counts.count(NAME, Letter(f"orders/{number}@{letter}", 1), limit)
                letter += 1
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        workers = [pool.submit(worker, number) for number in range(4)]
        try:
            for _ in range(50):
                with transaction.atomic():
                    Store("default").letter_counts.begin_anew(owner)
        finally:
            resumed.set()
    assert [each.exception() for each in workers] == [None] * 4
